/** Reads, and pages of listings, on their own connections, so that none waits behind a write. */
import { Socket } from "node:net";
import { type ClientBase, Pool, type PoolClient } from "pg";
import type { EncodedListings, Listings, Reads, StoreLoad } from "../../domain/ports.ts";
import { type Cursor, PAGE_SIZE, type Page, type WrittenRows } from "../paging.ts";
import { accounts, keyByHash, keys, recentKeys } from "./accounts.ts";
import { blocks } from "./block-list.ts";
import { campaign, campaigns, lastSentCampaign, targetedLists } from "./campaigns.ts";
import { databaseBytes, integrity, ping, recount } from "./health.ts";
import { subscribersByEvent } from "./hot/event-subscribers.ts";
import { importStates } from "./hot/import-states.ts";
import { importBatch, importBatches } from "./import-batches.ts";
import { fields, lists } from "./lists.ts";
import { members } from "./members.ts";
import { noOps, refusal, refusals } from "./refusals.ts";
import { Connection, GOODBYE_MS, sessionConfig, unlimited } from "./sessions/connection.ts";
import { asConnectError, asStoreError, isLost } from "./sessions/failures.ts";
import { PageGate } from "./sessions/page-gate.ts";
import { subscriber } from "./subscriber-record.ts";

/**
 * For a list that has turned out to be long: a network round trip costs more than one to a thread, and leaves
 * more garbage.
 */
const LONG_PAGE_SIZE = 4000;
/** A connection is replaced after this time, so that its plans follow the growth of the tables. */
const LIFETIME_S = 60;
/** With the time to connect, below the five seconds within which every call is answered. */
const SHORT_MS = 2000;
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

const encoded: {
  readonly [K in keyof EncodedListings]: (
    db: Connection,
    args: EncodedListings[K]["args"],
    row: string,
    after: Cursor | null,
    size: number,
  ) => Promise<WrittenRows>;
} = { subscribersByEvent };

export class Reader {
  readonly #pool: Pool;
  readonly #sockets = new Set<Socket>();
  readonly #gate: PageGate;

  constructor(url: string, connections: number) {
    this.#gate = new PageGate(connections, SHORT_MS);
    this.#pool = new Pool({
      ...sessionConfig(url, { statementMs: SHORT_MS, isSerial: true }),
      max: connections,
      maxLifetimeSeconds: LIFETIME_S,
      stream: () => this.#socket(),
    });
    // The next read replaces a lost connection. Without a listener the error would end the process.
    this.#pool.on("error", () => {});
    this.#pool.on("connect", (client: ClientBase) => {
      client.on("error", () => {});
      // Runs before the first statement. If it fails, that statement fails too.
      unlimited(client).catch(() => {});
    });
  }

  read<K extends keyof Reads>(kind: K, args: Reads[K]["args"]): Promise<Reads[K]["result"]> {
    if (!long.has(kind)) return this.#answer(SHORT_MS, (db) => reads[kind](db, args));
    return this.#answer(LONG_MS, async (db) => {
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
      this.#answer(SHORT_MS, (db) => listings[kind](db, args, after, PAGE_SIZE)),
    );
  }

  encodedPage<K extends keyof EncodedListings>(
    kind: K,
    args: EncodedListings[K]["args"],
    row: string,
    after: Cursor | null,
  ): Promise<WrittenRows> {
    const size = after === null ? PAGE_SIZE : LONG_PAGE_SIZE;
    return this.#gate.run(args.account, after !== null, () =>
      this.#answer(SHORT_MS, (db) => encoded[kind](db, args, row, after, size)),
    );
  }

  get connections(): StoreLoad["connections"] {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    // If the network is down, the server never confirms the end of the session.
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, GOODBYE_MS);
    await this.#pool.end();
    clearTimeout(timer);
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once("close", () => this.#sockets.delete(socket));
  }

  /** An idle connection may have been lost unnoticed. A read changes nothing, so it is retried. */
  async #answer<T>(limitMs: number, ask: (db: Connection) => Promise<T>): Promise<T> {
    const deadline = performance.now() + limitMs;
    try {
      try {
        return await this.#ask(deadline, ask);
      } catch (error) {
        if (!isLost(error) || performance.now() >= deadline) throw error;
        return await this.#ask(deadline, ask);
      }
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw asConnectError(error);
    }
  }

  async #ask<T>(deadline: number, ask: (db: Connection) => Promise<T>): Promise<T> {
    let client: PoolClient | null = await this.#connect();
    const release = (isBroken: boolean): void => {
      client?.release(isBroken);
      client = null;
    };
    const timer = setTimeout(() => release(true), Math.max(deadline - performance.now(), 0));
    try {
      const result = await ask(new Connection(client));
      release(false);
      return result;
    } catch (error) {
      release(true);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
