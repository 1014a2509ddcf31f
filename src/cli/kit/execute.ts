/**
 * Runs a command: opens the database when it is first needed, finds the account, and closes what it opened.
 */
import { statSync } from "node:fs";
import { type Admin, perform } from "#admin/kit/action.ts";
import { AdminError } from "#admin/kit/errors.ts";
import { jobWorks } from "#admin/works/works.ts";
import { openStore } from "#app/database.ts";
import { commandMail } from "#app/mail-tools.ts";
import type { Config } from "#app/settings/config.ts";
import type { Account } from "#domain/account.ts";
import { collect } from "#domain/paging/pages.ts";
import type { Store } from "#domain/ports/store.ts";
import { finishJob } from "#jobs/foreground.ts";
import { explainAdminError } from "./admin-errors.ts";
import { ACCOUNT_VARIABLE } from "./arguments/common-options.ts";
import type { Call, Values } from "./arguments/parse-call.ts";
import { type Context, Failure, type Output, UsageError } from "./command.ts";
import { currentUser } from "./current-user.ts";
import type { Terminal } from "./terminal/terminal.ts";

export async function execute(
  { command, args, values }: Call,
  config: Config,
  terminal: Terminal,
  out: Output,
): Promise<void> {
  let opened: Store | null = null;
  const store = async (): Promise<Store> => {
    if (opened !== null) return opened;
    const { database } = config;
    // A PostgreSQL server reports a missing database itself.
    const missing = database.kind === "sqlite" && !isThere(database.file) ? database.file : null;
    if (missing !== null && command.makesDatabase !== true) throw noDatabase(missing);
    opened = await (terminal.openStore ?? openStore)(config, null, { mayMigrate: false });
    if (missing !== null) out.note(`created a new database: ${missing}`);
    return opened;
  };
  const context: Context = {
    args,
    config,
    option: (name) => (typeof values[name] === "string" ? values[name] : undefined),
    options: (name) => {
      const given = values[name];
      return Array.isArray(given) ? given.map(String) : [];
    },
    has: (name) => values[name] === true,
    store,
    account: async () =>
      findAccount(await store(), values.account ?? (terminal.env[ACCOUNT_VARIABLE] || undefined)),
    perform: async (action, given) => {
      const opened = await store();
      const clock = Date.now;
      const mail = commandMail(config);
      const works = jobWorks({ store: opened, clock, mail });
      const continueJob = finishJob(opened.jobs, { works });
      const admin: Admin = { store: opened, actor: operator(), clock, continueJob, mail };
      try {
        return await perform(admin, action, given);
      } catch (error) {
        throw error instanceof AdminError ? explainAdminError(error, context, command, given) : error;
      }
    },
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
    `there is no database ${file}; run this in the folder of the service, or set MAILROLL_DATABASE. To create a new one: 'mailroll serve' or 'mailroll account create NAME'`,
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
      "there is no account yet; start the server once, or run 'mailroll account create NAME'",
      "NotFound",
    );
  if (accounts.length > 1)
    throw new UsageError(
      `there is more than one account; choose one with --account or ${ACCOUNT_VARIABLE}: ${list}`,
    );
  return only;
}
