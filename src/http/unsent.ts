/**
 * What is in memory for clients that do not read: answers that the kernel has not taken, and requests that wait behind
 * them on the same connection. Bounded for each connection and for all of them; beyond the bound the connection is closed
 * whose client has taken nothing for longest. An answer that is taken at once is never counted here, and costs nothing.
 */
import type { Connection } from "./connections.ts";

/** A client that sends more at once, without waiting for an answer, is read no further until it has some. */
export const PAUSED_REQUESTS = 64;
/** Node goes on reading in some cases all the same; nobody who takes the answers gets there. */
export const MOST_REQUESTS = 256;
/** What a connection may hold, of answers and requests together. */
export const MOST_HELD = 8 * 1024 ** 2;

export class Unsent {
  readonly #most: number;
  readonly #onDropped: () => void;
  /** What each of them holds; the one whose client has taken nothing for longest is the first. */
  readonly #held = new Map<Connection, number>();
  #bytes = 0;

  constructor(most: number, onDropped: () => void = () => {}) {
    this.#most = most;
    this.#onDropped = onDropped;
  }

  get bytes(): number {
    return this.#bytes;
  }

  hold(connection: Connection, bytes: number): void {
    if (connection.socket.destroyed) return;
    const held = (this.#held.get(connection) ?? 0) + bytes;
    this.#held.set(connection, held);
    this.#bytes += bytes;
    if (held > MOST_HELD) this.close(connection);
    for (const longest of this.#held.keys()) {
      if (this.#bytes <= this.#most) return;
      this.close(longest);
    }
  }

  /** The client has taken something, so it goes behind all who have taken nothing meanwhile. */
  release(connection: Connection, bytes: number): void {
    const held = this.#held.get(connection);
    if (held === undefined) return;
    this.#bytes -= bytes;
    this.#held.delete(connection);
    if (held > bytes) this.#held.set(connection, held - bytes);
  }

  close(connection: Connection): void {
    this.forget(connection);
    connection.destroy();
    this.#onDropped();
  }

  /** It is closed: nothing that it held is in memory any more. */
  forget(connection: Connection): void {
    this.#bytes -= this.#held.get(connection) ?? 0;
    this.#held.delete(connection);
  }
}
