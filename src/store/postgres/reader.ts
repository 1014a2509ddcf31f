/** Reads, and pages of listings, on their own connections, so that none waits behind a write. */
import type { Page, PageRange } from "../../domain/ports/listing.ts";
import type { StoreLoad } from "../../domain/ports/store.ts";
import { type Context, coldOperations } from "../cold/features.ts";
import { ownerOf } from "../command-share.ts";
import type { Args, Result, TunedRead } from "../methods.ts";
import { blocks } from "./block-list.ts";
import { campaign, lastSentCampaign } from "./campaigns.ts";
import { PostgresDb } from "./cold-db.ts";
import { databaseBytes, integrity, ping, recount } from "./health.ts";
import { importStates } from "./hot/import-states.ts";
import { importBatch, importBatches } from "./import-batches.ts";
import { noOps, refusal, refusals } from "./refusals.ts";
import type { Connection } from "./sessions/connection.ts";
import { PageGate } from "./sessions/page-gate.ts";
import { READ_MS, ReadPool } from "./sessions/read-pool.ts";
import { subscriber } from "./subscriber-record.ts";

/** A recount takes as long as there is data to count. */
const LONG_MS = 600_000;
const long = new Set(["health.recount", "health.integrity"]);

type Read = (db: Connection, args: never, context: Context) => Promise<unknown>;
const tuned: { readonly [K in TunedRead]: (db: Connection, args: Args<K>) => Promise<Result<K>> } = {
  "health.ping": ping,
  "campaigns.lastSent": lastSentCampaign,
  "campaigns.byId": campaign,
  "blocks.all": blocks,
  "subscribers.byAddress": subscriber,
  "imports.states": importStates,
  "imports.newest": importBatches,
  "imports.byId": importBatch,
  "refusals.newest": refusals,
  "refusals.byId": refusal,
  "refusals.noOps": noOps,
  "health.databaseBytes": databaseBytes,
  "health.recount": recount,
  "health.integrity": integrity,
};
const reads = new Map<string, Read>(Object.entries(tuned));
for (const [kind, operation] of coldOperations)
  if (operation.kind === "read") {
    reads.set(kind, (db, args, context) => operation.run(new PostgresDb(db), args, context));
    if (operation.takesLong === true) long.add(kind);
  }

export class Reader {
  readonly #pool: ReadPool;
  readonly #gate: PageGate;

  constructor(url: string, connections: number) {
    this.#pool = new ReadPool(url, connections);
    this.#gate = new PageGate(connections, READ_MS);
  }

  async read(kind: string, args: object, context: Context): Promise<unknown> {
    const read = reads.get(kind);
    if (read === undefined) throw new Error(`no read ${kind}`);
    if (!long.has(kind)) return this.#pool.answer(READ_MS, (db) => read(db, args as never, context));
    return this.#pool.answer(LONG_MS, async (db) => {
      await db.exec(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${LONG_MS}`);
      const result = await read(db, args as never, context);
      await db.exec("COMMIT");
      return result;
    });
  }

  async page(kind: string, args: object, range: PageRange): Promise<Page<unknown>> {
    const operation = coldOperations.get(kind);
    if (operation?.kind !== "listing") throw new Error(`no listing ${kind}`);
    const cursor = "after" in range ? range.after : range.before;
    return this.#gate.run(ownerOf(args), cursor !== null, () =>
      this.#pool.answer(READ_MS, (db) => operation.page(new PostgresDb(db), args as never, range)),
    );
  }

  get connections(): StoreLoad["connections"] {
    return this.#pool.connections;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
