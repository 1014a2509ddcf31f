/**
 * A few connections for reads. A read that loses its connection is repeated on another one. Each resolves or
 * rejects within its time limit.
 */
import { Socket } from "node:net";
import { type ClientBase, Pool, type PoolClient } from "pg";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { StoreLoad } from "#domain/ports/store.ts";
import { Connection, ended, sessionConfig, unlimited } from "./connection.ts";
import { asConnectError, asStoreError, isLost } from "./failures.ts";

/** A connection is replaced after this time, so that its plans follow the growth of the tables. */
const LIFETIME_S = 60;
/** For most reads. With the time to connect, below the five seconds within which every call is answered. */
export const READ_MS = 2000;

type Connections = StoreLoad["connections"];

export function sumConnections(pools: readonly { readonly connections: Connections }[]): Connections {
  const sum = (state: keyof Connections): number =>
    pools.reduce((total, { connections }) => total + connections[state], 0);
  return { busy: sum("busy"), idle: sum("idle"), waiting: sum("waiting") };
}

export class ReadPool {
  readonly #pool: Pool;
  readonly #sockets = new Set<Socket>();

  constructor(url: string, connections: number) {
    this.#pool = new Pool({
      ...sessionConfig(url, { statementMs: READ_MS, isSerial: true }),
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

  get connections(): Connections {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    await ended(this.#pool, () => {
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  /** `report` is called when a read has got its connection, and when a connection was closed. */
  onChange(report: () => void): void {
    this.#pool.on("acquire", report).on("remove", report);
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once("close", () => this.#sockets.delete(socket));
  }

  /** An idle connection may have been lost unnoticed. A read changes nothing, so it is retried. */
  async answer<T>(limitMs: number, ask: (db: Connection) => Promise<T>): Promise<T> {
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
