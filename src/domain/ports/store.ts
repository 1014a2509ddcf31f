/**
 * A store: one port per feature, which adapters implement. A port takes commands and returns outcomes: the
 * store loads, decides and saves in one transaction, and answers a write after it is durable.
 */
import type { IdempotentRequest } from "../idempotency.ts";
import type { AuditLog } from "./access/audit.ts";
import type { Keys } from "./access/keys.ts";
import type { Secrets } from "./access/secrets.ts";
import type { Sessions } from "./access/sessions.ts";
import type { Users } from "./access/users.ts";
import type { Accounts } from "./accounts.ts";
import type { Blocks } from "./blocks.ts";
import type { Campaigns } from "./campaigns.ts";
import type { Fields } from "./fields.ts";
import type { Health } from "./health.ts";
import type { Requests } from "./idempotency.ts";
import type { Imports } from "./imports.ts";
import type { Jobs } from "./jobs.ts";
import type { Lists } from "./lists.ts";
import type { Refusals } from "./refused-calls.ts";
import type { Ledger } from "./sending/ledger.ts";
import type { Mailings } from "./sending/mailings.ts";
import type { Paces } from "./sending/paces.ts";
import type { Senders } from "./sending/senders.ts";
import type { UnsubscribeLinks } from "./sending/unsubscribe-links.ts";
import type { Webhooks } from "./sending/webhooks.ts";
import type { Statistics } from "./statistics.ts";
import type { Subscribers } from "./subscribers.ts";
import type { Uploads } from "./uploads.ts";

export interface Ports {
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly lists: Lists;
  readonly fields: Fields;
  readonly subscribers: Subscribers;
  readonly campaigns: Campaigns;
  readonly mailings: Mailings;
  readonly senders: Senders;
  readonly unsubscribeLinks: UnsubscribeLinks;
  readonly paces: Paces;
  readonly webhooks: Webhooks;
  readonly blocks: Blocks;
  readonly ledger: Ledger;
  readonly refusals: Refusals;
  readonly imports: Imports;
  readonly uploads: Uploads;
  readonly jobs: Jobs;
  readonly audit: AuditLog;
  readonly requests: Requests;
  readonly secrets: Secrets;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly statistics: Statistics;
  readonly health: Health;
}

/** The current load of a store. */
export interface StoreLoad {
  /** Writes that wait for the next commit. */
  readonly waiting: number;
  /** Read connections to a server, and reads that wait for one; none without a server. */
  readonly connections: { readonly busy: number; readonly idle: number; readonly waiting: number };
}

/** Callbacks for metrics of a store. They are called often, so they must be cheap. */
export interface StoreWatch {
  committed(writes: number, ms: number): void;
  /** Of each write that failed, its error. */
  failed(error: Error): void;
  /** Rows of a list. */
  read(rows: number): void;
}

export interface Store extends Ports {
  readonly schemaVersion: number;
  readonly load: StoreLoad;
  /**
   * The same store, with reads on a thread or connections of their own: however long operators read,
   * integrations do not wait for them. Starts them with the first read.
   */
  readonly forOperators: Store;
  /** The same store, for the writes of one request that may be repeated. */
  idempotent(request: IdempotentRequest): IdempotentStore;
  /**
   * Whether the request of this store was executed before, so that its writes are answered from records. It
   * is read once, with the first call, which must come before the first write: later, the request would find
   * itself. False for a store that is of no request.
   */
  wasExecuted(): Promise<boolean>;
  /** Whether the first write was answered from a record. False before the first write. */
  readonly isRepeat: boolean;
  /**
   * Removes what deleted rows have left in the files of the database, as far as calls can still read
   * meanwhile. On SQLite writes wait. Returns false if the signal has ended it. Throws StoreUnavailable, or
   * StoreRefused if the rights are missing.
   */
  rewrite(signal: AbortSignal): Promise<boolean>;
  /** Finishes pending requests, then closes the database. */
  close(): Promise<void>;
}

/**
 * A store for one request. Each write stores its result in its own transaction; if the request is repeated,
 * the write is not made again and returns that result. A request that was interrupted continues with the
 * write that is missing. Writes are identified by their order, so the request must make them in the same
 * order when it is repeated. A write throws IdempotencyKeyReused if the key belongs to another request.
 */
export interface IdempotentStore extends Store {
  /**
   * For one of several items that are written side by side: its writes are identified by the position of the
   * item and by their order within it, whatever the order in which items proceed.
   */
  item(index: number): IdempotentStore;
}
