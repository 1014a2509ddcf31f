/**
 * Runs a command: opens the database when it is first needed, finds the account, and closes what it opened.
 */

import { statSync } from "node:fs";
import { userInfo } from "node:os";
import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import { type Admin, perform } from "#admin/kit/action.ts";
import {
  AdminError,
  AlreadyExists,
  InvalidInput,
  NotFound,
  NotReady,
  Refused,
  type Thing,
} from "#admin/kit/errors.ts";
import { openStore } from "#app/database.ts";
import { commandMail } from "#app/mail-tools.ts";
import type { Config } from "#app/settings/config.ts";
import type { Account, AccountId } from "#domain/account.ts";
import { collect } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import { finishJob } from "#jobs/foreground.ts";
import { PROGRAM } from "#shipped.ts";
import { bareAddress } from "#transfer/values/mailbox.ts";
import { type CompleteCommand, type Context, Failure, type Output, UsageError } from "./command.ts";
import { ACCOUNT_VARIABLE } from "./help.ts";
import { refusalLine, refused } from "./outcome.ts";
import type { Call, Values } from "./parse-call.ts";
import type { Terminal } from "./terminal/terminal.ts";

// The system user who runs the command.

/** In many containers the user id has no user name. */
function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

// Errors of actions in the words of the command line: options, arguments and the next command.

/** The command that lists such things, if it is not named after them; null: there is none. */
const listings: Partial<Record<Thing, string | null>> = {
  "composed campaign": "campaign list",
  "refused call": "refused list",
  session: null,
  subscriber: null,
  upload: null,
  token: "user token list EMAIL",
};

/** Converts the error of an action into an error of the command; `args` are the action's arguments. */
function explainAdminError(
  error: AdminError,
  context: Context,
  command: CompleteCommand,
  args: object,
): UsageError | Failure {
  if (error instanceof InvalidInput) return new UsageError(inputProblem(error, context, command));
  if (error instanceof NotFound) {
    const { thing, message } = error;
    const listing = thing in listings ? listings[thing] : `${thing} list`;
    const advice = listing === null ? "" : `; see '${PROGRAM} ${listing}'`;
    return new Failure(message + advice, "NotFound");
  }
  if (error instanceof AlreadyExists) return new Failure(error.message, "AlreadyExists");
  if (error instanceof Refused) {
    const { account, email = null } = args as { account: AccountId; email?: string | null };
    const limit = command.name.startsWith("field ") ? "fields" : "subscribers";
    const address = email === null ? null : bareAddress(email);
    const line = refusalLine(error.outcome, { account, address, limit }, error.explanation);
    return refused(context.out, error.outcome, line);
  }
  if (error instanceof NotReady) {
    const { what, problems } = error;
    for (const problem of problems) context.out.note(`- ${problem}`);
    context.out.json({ problems });
    return new Failure(
      `${what}; see the ${problems.length === 1 ? "problem" : "problems"} above`,
      "NotReady",
    );
  }
  return new Failure(error.message);
}

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The value is repeated, unless it is a secret. */
function inputProblem(
  { input, message }: InvalidInput,
  { args, option }: Context,
  command: CompleteCommand,
): string {
  const name = command.inputs?.[input] ?? kebab(input);
  if (command.options[name]?.repeated === true) return `--${name}: ${message}`;
  if (Object.hasOwn(command.options, name))
    return `--${name}${name === "key" ? "" : ` '${option(name) ?? ""}'`} ${message}`;
  // An optional argument is declared in brackets.
  const names = command.args.map((arg) => arg.replaceAll(/[[\]]/g, ""));
  const at = names.findIndex((arg) => arg.toLowerCase() === name.toLowerCase());
  return at < 0 ? `${name} ${message}` : `${names[at]} '${args[at] ?? ""}' ${message}`;
}

export async function execute(
  { command, args, values }: Call,
  config: Config,
  terminal: Terminal,
  out: Output,
): Promise<void> {
  let opened: Store | null = null;
  let account: Account | null = null;
  let isDemo: boolean | null = null;
  const store = async (): Promise<Store> => {
    if (opened !== null) return opened;
    const { database } = config;
    // A PostgreSQL server reports a missing database itself.
    const missing = database.kind === "sqlite" && !isThere(database.file) ? database.file : null;
    if (missing !== null && command.makesDatabase !== true) throw noDatabase(missing);
    const { hasThreads = false } = command;
    opened = await (terminal.openStore ?? openStore)(config, null, { hasThreads });
    if (missing !== null) out.note(`created a new database: ${missing}`);
    return opened;
  };
  const context: Context = {
    args,
    config,
    option: (name: string, parse: (text: string, what: string) => unknown = String) => {
      const given = values[name];
      return typeof given === "string" ? (parse(given, `--${name}`) as never) : undefined;
    },
    options: (name) => {
      const given = values[name];
      return Array.isArray(given) ? given.map(String) : [];
    },
    has: (name) => values[name] === true,
    store,
    // Only what was found is kept: an import asks again after an outage.
    account: async () => {
      account ??= await findAccount(
        await store(),
        values.account ?? (terminal.env[ACCOUNT_VARIABLE] || undefined),
      );
      return account;
    },
    perform: async (action, given) => {
      const opened = await store();
      const clock = Date.now;
      isDemo ??= (await opened.health.program())?.isDemo === true;
      const mail = commandMail(config, isDemo);
      const works = jobHandlers({ store: opened, clock, mail });
      const continueJob = finishJob(opened.jobs, { works });
      const admin: Admin = { store: opened, actor: operator(), clock, continueJob, mail };
      try {
        return await perform(admin, action, given);
      } catch (error) {
        throw error instanceof AdminError ? explainAdminError(error, context, command, given) : error;
      }
    },
    performInAccount: async (action, given) =>
      context.perform(action, { ...given, account: (await context.account()).id } as never),
    out,
    now: Date.now(),
    env: terminal.env,
    folder: terminal.folder,
    confirm: terminal.confirm,
    askSecret: terminal.askSecret ?? (async () => null),
  };
  try {
    await command.run(context);
  } catch (error) {
    // An input that the command has checked itself, before an action does.
    throw error instanceof AdminError ? explainAdminError(error, context, command, {}) : error;
  } finally {
    await (opened as Store | null)?.close();
  }
}

/** A user who can run commands on the database can do everything. */
const operator = (): Admin["actor"] => ({
  origin: { kind: "operator", name: currentUser() },
  roleIn: () => "administrator",
});

/** In the wrong folder, or after a typo in a name, a new file would hide the existing data. */
const noDatabase = (file: string): Failure =>
  new Failure(
    `there is no database ${file}; run this in the folder of the service, or set MAILROLL_DATABASE. To create a new one: '${PROGRAM} serve' or '${PROGRAM} account create NAME'`,
    "NoDatabase",
  );

/** A file without read permission exists, and is a different problem. */
function isThere(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw new Failure(`this user cannot read the database ${file}: ${(error as Error).message}`);
  }
}

async function findAccount(store: Store, named: Values[string]): Promise<Account> {
  const accounts = await collect(store.accounts.all.pages({}));
  const list = accounts.map(({ id, name }) => `${id} ${name}`).join(", ");
  if (named !== undefined) {
    const [found, another] = [
      ...accounts.filter(({ id }) => String(id) === named),
      ...accounts.filter(({ id, name }) => name === named && String(id) !== named),
    ];
    if (found === undefined)
      throw new Failure(`there is no account ${String(named)}; there are: ${list || "none"}`, "NotFound");
    if (another !== undefined && String(found.id) !== named)
      throw new UsageError(`more than one account is named ${String(named)}; give the id: ${list}`);
    return found;
  }
  const [only] = accounts;
  if (only === undefined)
    throw new Failure(
      `there is no account yet; start the server once, or run '${PROGRAM} account create NAME'`,
      "NotFound",
    );
  if (accounts.length > 1)
    throw new UsageError(
      `there is more than one account; choose one with --account or ${ACCOUNT_VARIABLE}: ${list}`,
    );
  return only;
}
