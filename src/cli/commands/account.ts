/** `mailroll account …` */
import {
  createAccount,
  deleteAccount,
  listAccounts,
  renameAccount,
  setAccount,
  showAccountToDelete,
} from "#admin/accounts.ts";
import { type Account, NEW_ACCOUNT_FIELDS } from "#domain/account.ts";
import { PROGRAM } from "#shipped.ts";
import { type Command, type Context, Failure, UsageError } from "../kit/command.ts";
import { everyPage } from "../kit/every-page.ts";
import { parseId } from "../kit/parse-call.ts";
import { checkTraceOptions, removeTraces, TRACE_DETAILS, traceOptions } from "../kit/remove-traces.ts";
import { counted, formatNumber } from "../kit/terminal/text.ts";

/** A limit: a number, or "none" to remove it. */
function parseLimit(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "none") return null;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw new UsageError(`'${text}' is not a limit; give a number, or 'none'`);
}

/** In the words of the API (decision 0042). */
const document = (account: Account) => ({
  id: account.id,
  name: account.name,
  country: account.country,
  subscriberLimit: account.limitSubscribers,
  fieldLimit: account.limitFields,
  activeSubscriberCount: account.activeSubscribers,
  createdAt: account.createdAt,
});
const describe = ({ id, name }: Account): string => `Account ${id}: ${name}`;

async function remove(context: Context): Promise<void> {
  const { args, option, has, confirm, perform, out } = context;
  checkTraceOptions(context);
  const id = parseId(args[0], "ID");
  const found = await perform(showAccountToDelete, { account: id });
  const what = `account ${id} (${found.name}) with ${counted(found.activeSubscribers, "active subscriber")} and everything else in it`;
  const given = option("name");
  const question = `Delete ${what}? It cannot be undone. Type the name of the account to confirm:`;
  const isAgreed = has("yes") ? given !== undefined || null : await confirm(question, found.name);
  if (isAgreed === null)
    throw new UsageError(
      `this deletes ${what}; to confirm it without a terminal or with --json, give --name with the name of the account, and --yes`,
      "ConfirmationRequired",
    );
  if (!isAgreed) throw new Failure("nothing was deleted", "Declined");
  await perform(deleteAccount, { account: id, name: given ?? found.name });
  await removeTraces(context, `account ${id} was deleted`, "the next 'subscriber erase' removes them");
  out.result(document(found), () => `Deleted account ${id} (${found.name}) and everything in it.`);
}

export const accountCommands: readonly Command[] = [
  {
    name: "account create",
    args: ["NAME"],
    doc: "Creates an account, which owns keys, lists, fields, subscribers and campaigns.",
    details: `A new account may have ${NEW_ACCOUNT_FIELDS} custom fields; 'account set --limit-fields' changes that. If there is no database yet, the command
creates one and prints its path. The first start of the server creates an account too; rename it with 'account rename'.`,
    example: "account create 'Acme Ltd'",
    inAccount: false,
    makesDatabase: true,
    run: async ({ args, perform, out }) => {
      const account = await perform(createAccount, { name: args[0] ?? "" });
      out.result(
        document(account),
        () => `${describe(account)}\nNext: ${PROGRAM} key create --account ${account.id}`,
      );
    },
  },
  {
    name: "account list",
    doc: "Lists the accounts with their limits.",
    example: "account list",
    inAccount: false,
    run: async ({ perform, out }) => {
      const accounts = await everyPage((page) => perform(listAccounts, page));
      out.table(accounts.map(document), "There is no account yet.");
    },
  },
  {
    name: "account rename",
    args: ["ID", "NAME"],
    doc: "Renames an account.",
    example: "account rename 1 'Acme Inc'",
    inAccount: false,
    run: async ({ args, perform, out }) => {
      const id = parseId(args[0], "ID");
      const account = await perform(renameAccount, { account: id, name: args[1] ?? "" });
      out.result(document(account), () => describe(account));
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
      out.result(document(account), () => {
        const { limitSubscribers, limitFields } = account;
        const limit = (n: number | null): string => (n === null ? "none" : formatNumber(n));
        return `${describe(account)}: subscriber limit ${limit(limitSubscribers)}, field limit ${limit(limitFields)}, country ${account.country ?? "none"}`;
      });
    },
  },
  {
    name: "account delete",
    args: ["ID"],
    options: {
      name: { value: "NAME", doc: "The name of the account; required with --yes." },
      yes: { doc: "Do not ask for the name; required without a terminal and with --json." },
      ...traceOptions("Do not rewrite the database."),
    },
    doc: "Deletes an account and everything in it, after you type its name.",
    details: `Its keys stop working within a second. Then its subscribers with their values, memberships and history are
deleted, its lists, fields, campaigns, blocks, imports and refused calls, and what is kept of erased subscribers. Nothing
of it can be restored, except from a backup.

If the command is interrupted, a running server finishes the deletion, but does not rewrite the database.

${TRACE_DETAILS}`,
    example: "account delete 2 --name 'Acme Ltd' --yes",
    inAccount: false,
    run: remove,
  },
];
