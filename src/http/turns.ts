/**
 * How many requests are read in one turn of the event loop. While more connections are ready than libuv looks at in one go (1,024), it reads on, up
 * to 48 times, and nothing else has its turn meanwhile: no timer, no new connection, no page of a list; and answers of the database come behind
 * all who call. So where very many call at once, whoever has been answered rests, and goes on in turn.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Those who rest cost a little more, so it is no less than healthy installations see. */
export const MOST_IN_A_TURN = 128;
/** Where somebody has to rest for longer, there are too many. */
export const LONGEST_REST_MS = 1000;

interface Resting {
  readonly socket: Socket;
  readonly since: number;
}

export class Turns {
  #taken = 0;
  #isEnding = false;
  #isBehind = false;
  #turnedAwayLast = false;
  readonly #resting: Resting[] = [];
  readonly #clock: () => number;

  /** In milliseconds, from wherever. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * A request has come. True where there are more than can be served in time, for every other of them: to turn all of them away would take
   * all the time there is.
   */
  take({ socket }: IncomingMessage, response: ServerResponse): boolean {
    this.#taken += 1;
    this.#endTurn();
    if (this.#taken > MOST_IN_A_TURN || this.#resting.length > 0)
      response.once("close", () => {
        // Whoever sent several requests at once rests once for all of them.
        if (socket.isPaused()) return;
        socket.pause();
        this.#resting.push({ socket, since: this.#clock() });
        this.#endTurn();
      });
    this.#turnedAwayLast = this.#isBehind && !this.#turnedAwayLast;
    return this.#turnedAwayLast;
  }

  #endTurn(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      this.#taken = 0;
      const next = this.#resting.splice(0, MOST_IN_A_TURN);
      this.#isBehind = this.#clock() - (next[0]?.since ?? Number.POSITIVE_INFINITY) > LONGEST_REST_MS;
      for (const { socket } of next) socket.resume();
      if (this.#resting.length > 0 || this.#isBehind) this.#endTurn();
    });
  }
}
