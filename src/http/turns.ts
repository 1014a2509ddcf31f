/**
 * How many requests are read in one turn of the event loop. While more connections are ready than libuv looks at in one go (1,024), it reads on, up
 * to 48 times, and nothing else has its turn meanwhile: no timer and no page of a list, and answers of the database come behind all
 * who call. So where very many call at once, whoever has been answered rests, and goes on in turn.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Those who rest cost a little more, so it is no less than healthy installations see. */
export const MOST_IN_A_TURN = 256;

export class Turns {
  #taken = 0;
  #isEnding = false;
  readonly #resting: Socket[] = [];

  /** A request has come. */
  take({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#taken += 1;
    this.#endTurn();
    if (this.#taken <= MOST_IN_A_TURN && this.#resting.length === 0) return;
    response.once("close", () => {
      socket.pause();
      this.#resting.push(socket);
      this.#endTurn();
    });
  }

  #endTurn(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      this.#taken = 0;
      for (const socket of this.#resting.splice(0, MOST_IN_A_TURN)) socket.resume();
      if (this.#resting.length > 0) this.#endTurn();
    });
  }
}
