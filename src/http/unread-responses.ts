/**
 * Limits the memory for clients that do not read: responses that the kernel has not accepted, and requests
 * that wait behind them on the same connection. There is a limit per connection and a total; beyond the
 * total, the connection whose client has read nothing for longest is closed. A response that is read at once
 * is never counted here.
 */
import type { Connection } from "./connections.ts";

/** With so many unanswered requests, no more are read from a connection until some are answered. */
export const PAUSED_REQUESTS = 64;
/** Node still reads on in some cases; clients that read their responses never get there. */
export const MAX_REQUESTS = 256;
/** Bytes of responses and requests per connection. */
export const MAX_HELD = 8 * 1024 ** 2;

export class UnreadResponses {
  readonly #most: number;
  readonly #onDropped: () => void;
  /** Bytes per connection; the one whose client has read nothing for longest comes first. */
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
    if (held > MAX_HELD) this.close(connection);
    for (const longest of this.#held.keys()) {
      if (this.#bytes <= this.#most) return;
      this.close(longest);
    }
  }

  /** The client has read something, so its connection moves to the end. */
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

  /** For a closed connection, whose bytes are no longer in memory. */
  forget(connection: Connection): void {
    this.#bytes -= this.#held.get(connection) ?? 0;
    this.#held.delete(connection);
  }
}
