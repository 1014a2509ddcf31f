/** `mailroll account …` */
import { type Account, NEW_ACCOUNT_FIELDS } from "../../domain/account.ts";
import { parseCountry } from "../../domain/country.ts";
import { parseId, requireName } from "../kit/arguments/arguments.ts";
import { type Command, notFound, UsageError } from "../kit/command.ts";
import { formatNumber } from "../kit/terminal/numbers.ts";

/** A limit: a number, or "none" to remove it. */
function parseLimit(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new UsageError(`'${text}' is not a limit; give a number, or 'none'`);
}

function parseCountryOption(text: string | undefined): string | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const country = parseCountry(text);
  if (country === null)
    throw new UsageError(`'${text}' is not an ISO 3166-1 country code; give one such as AR, ARG or 32`);
  return country;
}

const describe = ({ id, name }: Account): string => `Account ${id}: ${name}`;
export const accountCommands: readonly Command[] = [
  {
    name: "account create",
    args: ["NAME"],
    options: {},
    doc: "Creates an account, which owns keys, lists, fields, subscribers and campaigns.",
    details: `A new account may have ${NEW_ACCOUNT_FIELDS} custom fields; 'account set --limit-fields' changes that. If there is no database yet, the command
creates one and prints its path. The first start of the server creates an account too; rename it with 'account rename'.`,
    example: "account create 'Acme Ltd'",
    inAccount: false,
    makesDatabase: true,
    run: async ({ args, store, now, out }) => {
      const name = requireName(args[0]);
      const account = await (await store()).accounts.create({ name, at: now });
      out.result(account, () => `${describe(account)}\nNext: mailroll key create --account ${account.id}`);
    },
  },
  {
    name: "account list",
    args: [],
    options: {},
    doc: "Lists the accounts with their limits.",
    example: "account list",
    inAccount: false,
    run: async ({ store, out }) => {
      const accounts = await (await store()).accounts.all();
      out.table(accounts, "There is no account yet.");
    },
  },
  {
    name: "account rename",
    args: ["ID", "NAME"],
    options: {},
    doc: "Renames an account.",
    example: "account rename 1 'Acme Inc'",
    inAccount: false,
    run: async ({ args, store, out }) => {
      const id = parseId(args[0], "ID");
      const account = await (await store()).accounts.rename({ id, name: requireName(args[1]) });
      if (account === null) throw notFound("account", id);
      out.result(account, () => describe(account));
    },
  },
  {
    name: "account set",
    args: ["ID"],
    options: {
      "limit-subscribers": {
        value: "N",
        doc: "Maximum number of active subscribers; 'none' for no limit.",
      },
      "limit-fields": { value: "N", doc: "Maximum number of custom fields; 'none' for no limit." },
      country: {
        value: "CODE",
        doc: "The country of telephone numbers without a country code, such as AR; 'none' for no country.",
      },
    },
    doc: "Sets an account's limits and country.",
    example: "account set 1 --limit-subscribers 50000 --country AR",
    inAccount: false,
    run: async ({ args, option, store, out }) => {
      const id = parseId(args[0], "ID");
      const settings = {
        limitSubscribers: parseLimit(option("limit-subscribers")),
        limitFields: parseLimit(option("limit-fields")),
        country: parseCountryOption(option("country")),
      };
      if (Object.values(settings).every((value) => value === undefined))
        throw new UsageError("nothing to set: give --limit-subscribers, --limit-fields or --country");
      const account = await (await store()).accounts.set({ id, settings });
      if (account === null) throw notFound("account", id);
      out.result(account, () => {
        const { limitSubscribers, limitFields, country } = account;
        const limit = (n: number | null): string => (n === null ? "none" : formatNumber(n));
        return `${describe(account)}: subscriber limit ${limit(limitSubscribers)}, field limit ${limit(limitFields)}, country ${country ?? "none"}`;
      });
    },
  },
];
