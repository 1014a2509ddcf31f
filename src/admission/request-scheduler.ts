/**
 * Limits how many requests are read in one iteration of the event loop. Under very many concurrent clients, a
 * connection that has been answered is paused, and paused connections are resumed in order.
 *
 * Without this, libuv would read all clients before it does anything else: while more connections are ready
 * than it polls at once (1,024), it polls again, up to 48 times. Meanwhile there are no timers, no new
 * connections and no pages of listings, and the responses of the database wait behind all clients.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Pausing has a cost, so the limit is above what healthy installations reach. */
export const MAX_PER_ITERATION = 128;
/** If a connection stays paused for longer, the server is overloaded. */
export const MAX_PAUSE_MS = 1000;

interface Paused {
  readonly socket: Socket;
  readonly since: number;
}

export class RequestScheduler {
  #arrived = 0;
  #isEnding = false;
  #isBehind = false;
  readonly #paused: Paused[] = [];
  readonly #clock: () => number;

  /** The clock returns milliseconds since any fixed time. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Whether connections have been paused for too long: more requests arrive than can be served in time. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Counts a request, and pauses its connection after the response if there are too many. */
  arrived({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#arrived += 1;
    this.#endIteration();
    if (this.#arrived > MAX_PER_ITERATION || this.#paused.length > 0)
      response.once("close", () => {
        // A client that sent several requests at once is paused once for all of them.
        if (socket.isPaused()) return;
        socket.pause();
        this.#paused.push({ socket, since: this.#clock() });
        this.#endIteration();
      });
  }

  #endIteration(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      this.#arrived = 0;
      const next = this.#paused.splice(0, MAX_PER_ITERATION);
      this.#isBehind = this.#clock() - (next[0]?.since ?? Number.POSITIVE_INFINITY) > MAX_PAUSE_MS;
      for (const { socket } of next) socket.resume();
      if (this.#paused.length > 0 || this.#isBehind) this.#endIteration();
    });
  }
}
