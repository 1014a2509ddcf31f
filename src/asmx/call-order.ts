/**
 * Calls that were sent together over one connection take effect in their order (RFC 9112 §9.3.2), however long each takes
 * to be read: a large or compressed one would otherwise be overtaken by those behind it.
 */
import type { Socket } from "node:net";

export class CallOrder {
  /** The last call of each connection that is being served. */
  readonly #last = new WeakMap<Socket, Promise<unknown>>();

  /** `serve` gets what to wait for before it carries anything out; undefined: nothing, as nearly always. */
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
