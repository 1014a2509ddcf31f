/** `mailroll account …` */
import { createAccount, listAccounts, renameAccount, setAccount } from "../../admin/accounts.ts";
import { type Account, NEW_ACCOUNT_FIELDS } from "../../domain/account.ts";
import { parseId } from "../kit/arguments/arguments.ts";
import { type Command, UsageError } from "../kit/command.ts";
import { formatNumber } from "../kit/terminal/numbers.ts";

/** A limit: a number, or "none" to remove it. */
function parseLimit(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new UsageError(`'${text}' is not a limit; give a number, or 'none'`);
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
    run: async ({ args, perform, out }) => {
      const account = await perform(createAccount, { name: args[0] ?? "" });
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
    run: async ({ perform, out }) => {
      out.table(await perform(listAccounts, {}), "There is no account yet.");
    },
  },
  {
    name: "account rename",
    args: ["ID", "NAME"],
    options: {},
    doc: "Renames an account.",
    example: "account rename 1 'Acme Inc'",
    inAccount: false,
    run: async ({ args, perform, out }) => {
      const id = parseId(args[0], "ID");
      const account = await perform(renameAccount, { account: id, name: args[1] ?? "" });
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
    run: async ({ args, option, perform, out }) => {
      const id = parseId(args[0], "ID");
      const country = option("country");
      const settings = {
        limitSubscribers: parseLimit(option("limit-subscribers")),
        limitFields: parseLimit(option("limit-fields")),
        country: country === "none" ? null : country,
      };
      if (Object.values(settings).every((value) => value === undefined))
        throw new UsageError("nothing to set: give --limit-subscribers, --limit-fields or --country");
      const account = await perform(setAccount, { account: id, ...settings });
      out.result(account, () => {
        const { limitSubscribers, limitFields } = account;
        const limit = (n: number | null): string => (n === null ? "none" : formatNumber(n));
        return `${describe(account)}: subscriber limit ${limit(limitSubscribers)}, field limit ${limit(limitFields)}, country ${account.country ?? "none"}`;
      });
    },
  },
];
