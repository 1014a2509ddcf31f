/**
 * A store: one port per feature, which adapters implement. A port takes commands and returns outcomes: the
 * store loads, decides and saves in one transaction, and answers a write after it is durable.
 */
import type { Accounts } from "./accounts.ts";
import type { AuditLog } from "./audit.ts";
import type { Blocks } from "./blocks.ts";
import type { Campaigns } from "./campaigns.ts";
import type { Fields } from "./fields.ts";
import type { Health } from "./health.ts";
import type { Imports } from "./imports.ts";
import type { Jobs } from "./jobs.ts";
import type { Keys } from "./keys.ts";
import type { Lists } from "./lists.ts";
import type { Refusals } from "./refusals.ts";
import type { Statistics } from "./statistics.ts";
import type { Subscribers } from "./subscribers.ts";

export interface Ports {
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly lists: Lists;
  readonly fields: Fields;
  readonly subscribers: Subscribers;
  readonly campaigns: Campaigns;
  readonly blocks: Blocks;
  readonly refusals: Refusals;
  readonly imports: Imports;
  readonly jobs: Jobs;
  readonly audit: AuditLog;
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
  /** Rows of a list. */
  read(rows: number): void;
}

export interface Store extends Ports {
  readonly schemaVersion: number;
  readonly load: StoreLoad;
  /** Finishes pending requests, then closes the database. */
  close(): Promise<void>;
}
