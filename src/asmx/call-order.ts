/**
 * Pipelined calls of one connection take effect in their order (RFC 9112 §9.3.2), however long each takes to
 * be read. Otherwise later calls would overtake a large or compressed one.
 */
import type { Socket } from "node:net";

export class CallOrder {
  /** The last call of each connection that is being served. */
  readonly #last = new WeakMap<Socket, Promise<unknown>>();

  /** `serve` gets a promise to await before it executes the call; usually undefined: nothing to wait for. */
  async run<Result>(
    socket: Socket,
    serve: (before: Promise<unknown> | undefined) => Promise<Result>,
  ): Promise<Result> {
    const serving = serve(this.#last.get(socket)?.catch(() => {}));
    this.#last.set(socket, serving);
    try {
      return await serving;
    } finally {
      if (this.#last.get(socket) === serving) this.#last.delete(socket);
    }
  }
}
