/** Reads, and pages of listings, on their own connections, so that none waits behind a write. */
import { Socket } from "node:net";
import { type ClientBase, Pool, type PoolClient } from "pg";
import { InvalidCursor } from "../../domain/ports/errors.ts";
import type { Page, PageRange } from "../../domain/ports/listing.ts";
import type { StoreLoad } from "../../domain/ports/store.ts";
import { type Context, coldOperations } from "../cold/features.ts";
import { ownerOf } from "../command-share.ts";
import type { Args, Result, TunedEncoded, TunedRead } from "../methods.ts";
import { type Cursor, PAGE_SIZE, type WrittenRows } from "../paging.ts";
import { blocks } from "./block-list.ts";
import { PostgresDb } from "./cold-db.ts";
import { databaseBytes, integrity } from "./health.ts";
import { subscribersByEvent } from "./hot/event-subscribers.ts";
import { importStates } from "./hot/import-states.ts";
import { Connection, GOODBYE_MS, sessionConfig, unlimited } from "./sessions/connection.ts";
import { asConnectError, asStoreError, isLost } from "./sessions/failures.ts";
import { PageGate } from "./sessions/page-gate.ts";

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

interface Read {
  readonly run: (db: Connection, args: never, context: Context) => Promise<unknown>;
  readonly takesLong: boolean;
  readonly isSnapshot: boolean;
}
const tuned: { readonly [K in TunedRead]: (db: Connection, args: Args<K>) => Promise<Result<K>> } = {
  "blocks.all": blocks,
  "imports.states": importStates,
  "health.databaseBytes": databaseBytes,
  "health.integrity": integrity,
};
const reads = new Map<string, Read>();
for (const [kind, run] of Object.entries(tuned))
  reads.set(kind, { run, takesLong: false, isSnapshot: false });
for (const [kind, operation] of coldOperations)
  if (operation.kind === "read") {
    const { run, takesLong = false, isSnapshot = false } = operation;
    reads.set(kind, {
      run: (db, args, context) => run(new PostgresDb(db), args, context),
      takesLong,
      isSnapshot,
    });
  }

const encoded: {
  readonly [K in TunedEncoded]: (
    db: Connection,
    args: Args<K>,
    row: string,
    after: Cursor | null,
    size: number,
  ) => Promise<WrittenRows>;
} = { "campaigns.subscribersByEvent": subscribersByEvent };

export class Reader {
  readonly #pool: Pool;
  readonly #sockets = new Set<Socket>();
  readonly #gate: PageGate;

  constructor(url: string, connections: number) {
    this.#gate = new PageGate(connections, SHORT_MS);
    this.#pool = new Pool({
      ...sessionConfig(url, { statementMs: SHORT_MS }),
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

  async read(kind: string, args: object, context: Context): Promise<unknown> {
    const read = reads.get(kind);
    if (read === undefined) throw new Error(`no read ${kind}`);
    const { run, takesLong, isSnapshot } = read;
    if (!takesLong && !isSnapshot) return this.#answer(SHORT_MS, (db) => run(db, args as never, context));
    const limitMs = takesLong ? LONG_MS : SHORT_MS;
    return this.#answer(limitMs, async (db) => {
      const isolation = isSnapshot ? "REPEATABLE READ" : "READ COMMITTED";
      await db.exec(`BEGIN ISOLATION LEVEL ${isolation} READ ONLY; SET LOCAL statement_timeout = ${limitMs}`);
      const result = await run(db, args as never, context);
      await db.exec("COMMIT");
      return result;
    });
  }

  async page(kind: string, args: object, range: PageRange): Promise<Page<unknown>> {
    const operation = coldOperations.get(kind);
    if (operation?.kind !== "listing") throw new Error(`no listing ${kind}`);
    const cursor = "after" in range ? range.after : range.before;
    return this.#gate.run(ownerOf(args), cursor !== null, () =>
      this.#answer(SHORT_MS, (db) => operation.page(new PostgresDb(db), args as never, range)),
    );
  }

  encodedPage(
    kind: TunedEncoded,
    args: Args<TunedEncoded>,
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
      // What a caller got wrong says nothing about the connection.
      release(!(error instanceof InvalidCursor));
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}
