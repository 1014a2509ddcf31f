/** Reads, and pages of listings, on a read-only connection. */
import type { EncodedListings, Listings, Reads } from "../../domain/ports.ts";
import { type Cursor, PAGE_SIZE, type Page, type WrittenRows } from "../paging.ts";
import { accounts, keyByHash, keys, recentKeys } from "./accounts.ts";
import { blocks } from "./block-list.ts";
import { campaign, campaigns, lastSentCampaign, targetedLists } from "./campaigns.ts";
import type { Connection } from "./connection.ts";
import { databaseBytes, integrity, ping, recount } from "./health.ts";
import { subscribersByEvent } from "./hot/event-subscribers.ts";
import { importStates } from "./hot/import-states.ts";
import { importBatch, importBatches } from "./import-batches.ts";
import { fields, lists } from "./lists.ts";
import { members } from "./members.ts";
import { noOps, refusal, refusals } from "./refusals.ts";
import { subscriber } from "./subscriber-record.ts";
import type { Turn } from "./threads/thread-loop.ts";

/**
 * For a list that has turned out to be long: fewer round trips to the thread, and still a fraction of a
 * millisecond of this process.
 */
const LONG_PAGE_SIZE = 1000;

const reads: {
  readonly [K in keyof Reads]: (db: Connection, args: Reads[K]["args"]) => Reads[K]["result"];
} = {
  ping,
  accounts,
  keyByHash,
  recentKeys,
  keys,
  lastSentCampaign,
  campaign,
  blocks,
  subscriber,
  importStates,
  importBatches,
  importBatch,
  refusals,
  refusal,
  noOps,
  databaseBytes,
  recount,
  integrity,
};

const listings: {
  readonly [K in keyof Listings]: (
    db: Connection,
    args: Listings[K]["args"],
    after: Cursor | null,
    size: number,
  ) => Page<Listings[K]["result"], Cursor>;
} = { lists, fields, members, campaigns, targetedLists };

const encoded: {
  readonly [K in keyof EncodedListings]: (
    db: Connection,
    args: EncodedListings[K]["args"],
    row: string,
    after: Cursor | null,
    size: number,
  ) => WrittenRows;
} = { subscribersByEvent };

export type ReadCall =
  | { readonly [K in keyof Reads]: readonly ["read", K, Reads[K]["args"]] }[keyof Reads]
  | {
      readonly [K in keyof Listings]: readonly ["page", K, Listings[K]["args"], Cursor | null];
    }[keyof Listings]
  | {
      readonly [K in keyof EncodedListings]: readonly [
        "encoded",
        K,
        EncodedListings[K]["args"],
        string,
        Cursor | null,
      ];
    }[keyof EncodedListings];

export function turnOf(call: ReadCall): Turn {
  const [kind, , args] = call;
  const owner = "account" in args ? args.account : null;
  return { owner, isContinued: kind !== "read" && call.at(-1) !== null };
}

export function answer(db: Connection, call: ReadCall): unknown {
  if (call[0] === "read") {
    const [, kind, args] = call;
    return (reads[kind] as (db: Connection, args: unknown) => unknown)(db, args);
  }
  if (call[0] === "encoded") {
    const [, kind, args, row, after] = call;
    return encoded[kind](db, args, row, after, after === null ? PAGE_SIZE : LONG_PAGE_SIZE);
  }
  const [, kind, args, after] = call;
  return (listings[kind] as (db: Connection, args: unknown, after: Cursor | null, size: number) => unknown)(
    db,
    args,
    after,
    PAGE_SIZE,
  );
}
