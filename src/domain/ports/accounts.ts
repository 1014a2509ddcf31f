/** Accounts, and the first one of an installation. */
import type { Audited } from "../access/audit.ts";
import type { KeyId } from "../access/key.ts";
import type { Account, AccountId, AccountSettings } from "../account.ts";
import type { Lease, LeaseRequest } from "../job/job.ts";
import type { ListId } from "../list.ts";
import type { NewKey } from "./access/keys.ts";
import type { OfAccount } from "./command.ts";
import type { Program } from "./health.ts";
import type { Listing } from "./listing.ts";

export interface DeleteAccount extends OfAccount, Audited {
  readonly at: number;
  /** For the job that does everything after the first batch. */
  readonly lease: LeaseRequest;
  /** Whether a job rewrites the database later; otherwise the caller does so. */
  readonly rewriteLater?: boolean | undefined;
}
/** The account as it was. */
export interface DeletedAccount {
  readonly account: Account;
  readonly job: Lease;
  /** When the database is rewritten; null: the caller does so. */
  readonly rewriteAt: number | null;
}

export interface Accounts {
  /** In the order of their ids, without accounts that are being deleted. */
  readonly all: Listing<object, Account>;
  /** The accounts of `all` with these ids. */
  readonly some: Listing<{ readonly ids: readonly AccountId[] }, Account>;
  /** Whether there is one, which may be being deleted. */
  exist(): Promise<boolean>;
  /** null: no such account, or it is being deleted. */
  byId(args: { readonly id: AccountId }): Promise<Account | null>;
  create(args: Audited & { readonly name: string; readonly at: number }): Promise<Account>;
  /** null: no such account. */
  set(
    args: Audited & { readonly id: AccountId; readonly settings: AccountSettings },
  ): Promise<Account | null>;
  /** The overview shows the first steps no more. False: no such account. */
  dismissSteps(args: OfAccount & Audited & { readonly at: number }): Promise<boolean>;
  /** Also an account that is being deleted; null: no such account. */
  toDelete(args: { readonly id: AccountId }): Promise<Account | null>;
  /**
   * Deletes the keys of an account; then it does not exist for any caller. The job deletes everything else.
   * null: no such account.
   */
  delete(args: DeleteAccount): Promise<DeletedAccount | null>;
  /**
   * Creates an account, a key and a list in an empty installation, all or none; null if there already is an
   * account. `demo`: stored with them, so that what is made of it later is always known as a demo.
   */
  firstStart(args: {
    readonly account: string;
    readonly list: string;
    readonly key: Omit<NewKey, "account">;
    readonly demo?: Program | undefined;
  }): Promise<{ readonly account: AccountId; readonly key: KeyId; readonly list: ListId } | null>;
}
