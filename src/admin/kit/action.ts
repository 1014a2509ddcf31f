/**
 * An action: something that an operator can do. The command line and the API are adapters over the actions,
 * so that each rule, permission and error is written once.
 */
import type { Actor } from "#domain/access/actor.ts";
import type { AuditedBy } from "#domain/access/audit.ts";
import type { UserId } from "#domain/access/user.ts";
import { isAtLeast, type Role } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import { ResultErased, VersionConflict } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import type { SettingValue } from "#domain/setting-value.ts";
import type { ContinueJob } from "#jobs/foreground.ts";
import { namedJob } from "../actor-names.ts";
import { AdminError, AlreadyDone, Forbidden, Outdated } from "./errors.ts";
import type { MailTools } from "./mail-tools.ts";

export type { Actor };

/** What an action works with. */
export interface Admin {
  readonly store: Store;
  readonly actor: Actor;
  readonly clock: () => number;
  /**
   * What is done about the job that an action has left because not everything fitted into its transaction:
   * the command line does it while its user waits, an API leaves it to the server.
   */
  readonly continueJob: ContinueJob;
  /**
   * Whether a job rewrites the database in the night after an erasure. The command line rewrites it at once
   * instead.
   */
  readonly rewritesLater?: boolean;
  /**
   * The version that the thing must have which the action changes (`versionOf`), or one of several; absent:
   * any. If it has another one, the action fails with `Outdated`, and nothing is changed.
   */
  readonly ifVersion?: readonly string[] | undefined;
  /** Checks a user's password; counts failures. Not on the command line, where no user logs in. */
  readonly passwordCheck?: PasswordCheck;
  /** Counts wrong codes of a user. Not on the command line, where guessing gains nothing. */
  readonly codeCheck?: CodeCheck;
  /** Of this process; not on the command line, which may have others than the service. */
  readonly settings?: readonly SettingValue[];
  /** For checks of senders; for previews, test messages and dry runs of campaigns. */
  readonly mail?: MailTools;
}
/** Whether the check of a user's code succeeds; counts failures. Throws Throttled. */
export type CodeCheck = (user: UserId, isRight: () => Promise<boolean>) => Promise<boolean>;
/** Whether the password is that of the user. Throws Throttled. */
export type PasswordCheck = (user: UserId, password: string, client: string) => Promise<boolean>;

/** What an action runs with. */
export interface Performing extends Admin {
  /** For the audit log: the action passes it to the store's commands that change something. */
  readonly audit: AuditedBy;
  /**
   * Whether the same request was executed before: its writes are answered from records, and what an action
   * reads before them is already changed.
   */
  readonly isRepeat: boolean;
}

/**
 * Where an action records who performed it: in the audit log, or in the history of the subscriber that it
 * changes. "nothing": the action only reads.
 */
export type Records = "audit log" | "history" | "nothing";

/** Arguments of an action in one account. An action without `account` concerns the whole installation. */
export interface InAccount {
  readonly account: AccountId;
}

/**
 * The least role. "user": every user, about themselves. "anyone": the action itself returns only what the
 * actor has a role in.
 */
export type Needed = Role | "user" | "anyone";

export interface Action<Args, Result> {
  /** Such as "list.create". */
  readonly name: string;
  readonly role: Needed;
  readonly records: Records;
  readonly run: (admin: Performing, args: Args) => Promise<Result>;
}

export const action = <Args extends object, Result>(
  name: string,
  role: Needed,
  records: Records,
  run: (admin: Performing, args: Args) => Promise<Result>,
): Action<Args, Result> => ({ name, role, records, run });

/** An action that changes nothing. */
export const query = <Args extends object, Result>(
  name: string,
  role: Needed,
  run: (admin: Performing, args: Args) => Promise<Result>,
): Action<Args, Result> => action(name, role, "nothing", run);

/** An action that the audit log records. */
export const audited = <Args extends object, Result>(
  name: string,
  role: Needed,
  run: (admin: Performing, args: Args) => Promise<Result>,
): Action<Args, Result> => action(name, role, "audit log", run);

/** Throws an AdminError. */
export async function perform<Args extends object, Result>(
  admin: Admin,
  performed: Action<Args, Result>,
  args: Args,
): Promise<Result> {
  requireRole(admin.actor, performed, "account" in args ? (args as InAccount).account : null);
  const { name, run } = performed;
  const { origin, from = null } = admin.actor;
  const audit = { at: admin.clock(), origin, from, action: name, ifVersion: admin.ifVersion };
  const continueJob: ContinueJob = async (lease) => {
    const job = await admin.continueJob(lease);
    return job === null ? null : namedJob(admin.store, job);
  };
  const isRepeat = await admin.store.wasExecuted();
  try {
    return await run({ ...admin, audit, continueJob, isRepeat }, args);
  } catch (error) {
    if (error instanceof ResultErased) throw new AlreadyDone();
    const known = error instanceof VersionConflict ? new Outdated(error.message) : error;
    // What it has read was changed by its first execution. After a write it would be the same error as then.
    if (isRepeat && !admin.store.isRepeat && known instanceof AdminError && !(known instanceof Forbidden))
      throw new AlreadyDone();
    throw known;
  }
}

/** Throws Forbidden. `account`: null for the whole installation. */
export function requireRole(
  actor: Actor,
  { name, role }: Pick<Action<never, unknown>, "name" | "role">,
  account: AccountId | null,
): void {
  if (role === "anyone") return;
  if (role === "user") {
    if (actor.origin.kind !== "user")
      throw new Forbidden(`the action ${name} is for users, about themselves`);
    return;
  }
  const held = actor.roleIn(account);
  if (held === null || !isAtLeast(held, role))
    throw new Forbidden(
      `the action ${name} needs the role ${role}${held === null ? "" : `; yours is ${held}`}`,
    );
}
