/** Reads, and pages of listings, on their own connections, so that none waits behind a write. */
import type { Listings, Reads, StoreLoad } from "../../domain/ports.ts";
import { type Cursor, PAGE_SIZE, type Page } from "../paging.ts";
import { accounts, keyByHash, keys, recentKeys } from "./accounts.ts";
import { blocks } from "./block-list.ts";
import { campaign, campaigns, lastSentCampaign, targetedLists } from "./campaigns.ts";
import { databaseBytes, integrity, ping, recount } from "./health.ts";
import { importStates } from "./hot/import-states.ts";
import { importBatch, importBatches } from "./import-batches.ts";
import { fields, lists } from "./lists.ts";
import { members } from "./members.ts";
import { noOps, refusal, refusals } from "./refusals.ts";
import type { Connection } from "./sessions/connection.ts";
import { PageGate } from "./sessions/page-gate.ts";
import { READ_MS, ReadPool } from "./sessions/read-pool.ts";
import { subscriber } from "./subscriber-record.ts";

/** A recount takes as long as there is data to count. */
const LONG_MS = 600_000;
const long = new Set<string>(["recount", "integrity"] satisfies (keyof Reads)[]);

const reads: {
  readonly [K in keyof Reads]: (db: Connection, args: Reads[K]["args"]) => Promise<Reads[K]["result"]>;
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
  ) => Promise<Page<Listings[K]["result"], Cursor>>;
} = { lists, fields, members, campaigns, targetedLists };

export class Reader {
  readonly #pool: ReadPool;
  readonly #gate: PageGate;

  constructor(url: string, connections: number) {
    this.#pool = new ReadPool(url, connections);
    this.#gate = new PageGate(connections, READ_MS);
  }

  read<K extends keyof Reads>(kind: K, args: Reads[K]["args"]): Promise<Reads[K]["result"]> {
    if (!long.has(kind)) return this.#pool.answer(READ_MS, (db) => reads[kind](db, args));
    return this.#pool.answer(LONG_MS, async (db) => {
      await db.exec(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${LONG_MS}`);
      const result = await reads[kind](db, args);
      await db.exec("COMMIT");
      return result;
    });
  }

  page<K extends keyof Listings>(
    kind: K,
    args: Listings[K]["args"],
    after: Cursor | null,
  ): Promise<Page<Listings[K]["result"], Cursor>> {
    return this.#gate.run(args.account, after !== null, () =>
      this.#pool.answer(READ_MS, (db) => listings[kind](db, args, after, PAGE_SIZE)),
    );
  }

  get connections(): StoreLoad["connections"] {
    return this.#pool.connections;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
