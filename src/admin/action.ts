/**
 * An action: something that an operator can do. The command line is an adapter over the actions, and an API
 * will be another one, so that each rule, permission and error is written once.
 */
import type { AccountId } from "../domain/account.ts";
import type { AuditedBy } from "../domain/audit.ts";
import type { Origin } from "../domain/origin.ts";
import type { Store } from "../domain/ports/store.ts";
import type { ContinueJob } from "../jobs/foreground.ts";
import { Forbidden } from "./errors.ts";
import { isAtLeast, type Role } from "./roles.ts";

/** Who asks. */
export interface Actor {
  /** Stored with every change that the actor makes. */
  readonly origin: Origin;
  /** The client's address; not on the command line. */
  readonly from?: string;
  /** The role in an account; of `null`, in the installation as a whole. Returns null if there is none. */
  readonly roleIn: (account: AccountId | null) => Role | null;
}

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
}

/** What an action runs with. */
export interface Performing extends Admin {
  /** For the audit log: the action passes it to the store's commands that change something. */
  readonly audit: AuditedBy;
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

export interface Action<Args, Result> {
  /** Such as "list.create". */
  readonly name: string;
  /** The least role that may do it. */
  readonly role: Role;
  readonly records: Records;
  readonly run: (admin: Performing, args: Args) => Promise<Result>;
}

export const action = <Args extends object, Result>(
  name: string,
  role: Role,
  records: Records,
  run: (admin: Performing, args: Args) => Promise<Result>,
): Action<Args, Result> => ({ name, role, records, run });

/** Throws an AdminError. */
export async function perform<Args extends object, Result>(
  admin: Admin,
  { name, role, run }: Action<Args, Result>,
  args: Args,
): Promise<Result> {
  const account = "account" in args ? (args as InAccount).account : null;
  const held = admin.actor.roleIn(account);
  if (held === null || !isAtLeast(held, role))
    throw new Forbidden(`${name} needs the role ${role}${held === null ? "" : `; yours is ${held}`}`);
  const { origin, from = null } = admin.actor;
  return await run({ ...admin, audit: { at: admin.clock(), origin, from, action: name } }, args);
}
