/**
 * Reads pages of long lists: from the replica if there is one, and from the database while the replica is
 * away.
 */
import { StoreUnavailable } from "#domain/ports/errors.ts";
import type { StoreLoad } from "#domain/ports/store.ts";
import type { Args, TunedEncoded } from "../../methods.ts";
import { PageLimiter } from "../../reads/page-limiter.ts";
import { type Cursor, PAGE_SIZE, type ReadEncoded, type WrittenRows } from "../../reads/paging.ts";
import type { Connection } from "../sessions/connection.ts";
import { READ_MS, ReadPool, sumConnections } from "../sessions/read-pool.ts";
import { subscribersByEvent } from "./event-subscribers.ts";

/** For a list that has turned out to be long: each network round trip costs time and leaves garbage. */
const LONG_PAGE_SIZE = 4000;
export const LIST_CONNECTIONS = 3;
export const REPLICA_CONNECTIONS = 4;

const encoded: { readonly [K in TunedEncoded]: ReadEncoded<Connection, Args<K>> } = {
  "campaigns.subscribersByEvent": subscribersByEvent,
};

/** The arguments of a page: the listing, its arguments, the SQL of a row, and the end of the last page. */
export type PageCall = {
  readonly [K in TunedEncoded]: readonly [kind: K, args: Args<K>, row: string, after: Cursor | null];
}[TunedEncoded];

class Server {
  readonly pool: ReadPool;
  readonly #limiter: PageLimiter;

  constructor(url: string, connections: number) {
    this.pool = new ReadPool(url, connections);
    this.#limiter = new PageLimiter(connections, READ_MS);
  }

  page([kind, args, row, after]: PageCall): Promise<WrittenRows> {
    const size = after === null ? PAGE_SIZE : LONG_PAGE_SIZE;
    return this.#limiter.run(args.account, after !== null, () =>
      this.pool.answer(READ_MS, (db) => encoded[kind](db, args, row, after, size)),
    );
  }
}

export class ListReader {
  readonly #database: Server;
  readonly #replica: Server | null;

  constructor(url: string, replica: string | null) {
    this.#database = new Server(url, LIST_CONNECTIONS);
    this.#replica = replica === null ? null : new Server(replica, REPLICA_CONNECTIONS);
  }

  async page(call: PageCall): Promise<WrittenRows> {
    if (this.#replica === null) return this.#database.page(call);
    try {
      return await this.#replica.page(call);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      // Pages go by key, so the next one may come from another server.
      return this.#database.page(call);
    }
  }

  get connections(): StoreLoad["connections"] {
    return sumConnections(this.#pools);
  }

  onChange(report: () => void): void {
    for (const pool of this.#pools) pool.onChange(report);
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }

  get #pools(): readonly ReadPool[] {
    return [this.#database, this.#replica].flatMap((server) => (server === null ? [] : [server.pool]));
  }
}
