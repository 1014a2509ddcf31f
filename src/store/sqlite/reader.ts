/** Reads, and pages of listings, on a read-only connection. */
import type { PageRange } from "#domain/ports/listing.ts";
import { type Context, coldOperations, mayWalk } from "../cold/features.ts";
import type { Args, Result, TunedEncoded, TunedRead } from "../methods.ts";
import { type Cursor, PAGE_SIZE, type ReadEncoded } from "../reads/paging.ts";
import { isContinued } from "../reads/read-queue.ts";
import { ownerOf } from "../writes/command-scheduling.ts";
import { SqliteDb } from "./cold-db.ts";
import type { Connection } from "./connection.ts";
import { clock, databaseBytes, integrity } from "./health.ts";
import { subscribersByEvent } from "./hot/event-subscribers.ts";
import { importStates } from "./hot/import-states.ts";
import type { Turn } from "./threads/thread-loop.ts";

/**
 * For a list that has turned out to be long: fewer round trips to the thread, and still a fraction of a
 * millisecond of this process.
 */
const LONG_PAGE_SIZE = 1000;

const tuned: { readonly [K in TunedRead]: (db: Connection, args: Args<K>) => Result<K> } = {
  "imports.states": importStates,
  "health.databaseBytes": databaseBytes,
  "health.clock": clock,
  "health.integrity": integrity,
};
const reads = new Map<string, (db: Connection, args: never) => unknown>(Object.entries(tuned));

const encoded: { readonly [K in TunedEncoded]: ReadEncoded<Connection, Args<K>> } = {
  "campaigns.subscribersByEvent": subscribersByEvent,
};

/** The last element is where a listing continues. */
export type ReadCall =
  | readonly ["read", kind: string, args: object]
  | readonly ["page", kind: string, args: object, range: PageRange]
  | readonly ["encoded", kind: TunedEncoded, args: Args<TunedEncoded>, row: string, after: Cursor | null];

export function turnOf(call: ReadCall): Turn {
  const [how, kind, args] = call;
  return {
    owner: ownerOf(args),
    isContinued: isFurther(call),
    isWalk: how === "page" && mayWalk(kind, args),
  };
}
function isFurther(call: ReadCall): boolean {
  if (call[0] === "read") return false;
  return call[0] === "encoded" ? call[4] !== null : isContinued(call[3]);
}

export type Answer = (call: ReadCall) => unknown;

/** The most rows that a walk visits before others go first: less than a millisecond. */
const SLICE = 512;

/** During a pause, further calls may be answered. */
export function reader(db: Connection, context: Context, pause: () => Promise<void>): Answer {
  const cold = new SqliteDb(db, { visits: SLICE, pause });
  return (call) => {
    if (call[0] === "encoded") {
      const [, kind, args, row, after] = call;
      return encoded[kind](db, args, row, after, after === null ? PAGE_SIZE : LONG_PAGE_SIZE);
    }
    const [, kind, args] = call;
    const operation = coldOperations.get(kind);
    if (call[0] === "page" && operation?.kind === "listing")
      return operation.page(cold, args as never, call[3]);
    if (operation?.kind === "read") {
      const run = (): Promise<unknown> => operation.run(cold, args as never, context);
      return operation.isSnapshot === true ? db.snapshot(run) : run();
    }
    const read = reads.get(kind);
    if (read === undefined) throw new Error(`no read ${kind}`);
    return read(db, args as never);
  };
}
