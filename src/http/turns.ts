/**
 * Limits how many requests are read in one turn of the event loop. While more connections are ready than
 * libuv polls at once (1,024), it polls again, up to 48 times, and runs nothing else meanwhile: no timers, no
 * new connections, no pages of listings. Responses of the database queue behind all clients. So under very
 * many concurrent clients, a connection that has been answered is paused, and connections are resumed in
 * order.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Pausing has a cost, so the limit is above what healthy installations reach. */
export const MOST_IN_A_TURN = 128;
/** If a connection stays paused for longer, the server is overloaded. */
export const LONGEST_REST_MS = 1000;

interface Paused {
  readonly socket: Socket;
  readonly since: number;
}

export class Turns {
  #taken = 0;
  #isEnding = false;
  #isBehind = false;
  #rejectedLast = false;
  readonly #paused: Paused[] = [];
  readonly #clock: () => number;

  /** The clock returns milliseconds since any fixed time. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * Counts a request. Returns true for every other request while there are more than can be served in time:
   * rejecting all of them would take all the time there is.
   */
  take({ socket }: IncomingMessage, response: ServerResponse): boolean {
    this.#taken += 1;
    this.#endTurn();
    if (this.#taken > MOST_IN_A_TURN || this.#paused.length > 0)
      response.once("close", () => {
        // A client that sent several requests at once is paused once for all of them.
        if (socket.isPaused()) return;
        socket.pause();
        this.#paused.push({ socket, since: this.#clock() });
        this.#endTurn();
      });
    this.#rejectedLast = this.#isBehind && !this.#rejectedLast;
    return this.#rejectedLast;
  }

  #endTurn(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      this.#taken = 0;
      const next = this.#paused.splice(0, MOST_IN_A_TURN);
      this.#isBehind = this.#clock() - (next[0]?.since ?? Number.POSITIVE_INFINITY) > LONGEST_REST_MS;
      for (const { socket } of next) socket.resume();
      if (this.#paused.length > 0 || this.#isBehind) this.#endTurn();
    });
  }
}
