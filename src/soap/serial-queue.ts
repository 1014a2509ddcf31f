/**
 * Large and compressed messages are read one after the other, each in slices with the event loop in between: what reading
 * one takes of memory, a hundred that arrive together take only once. Those that wait go in rotation of the clients that
 * sent them: one client that sends them without end makes another wait for one message, not for all.
 */
export class SerialQueue {
  /** What waits, by client; the one whose turn is next is the first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;

  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) await new Promise<void>((start) => this.#wait(client, start));
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #wait(client: string, start: () => void): void {
    const waiting = this.#waiting.get(client);
    if (waiting === undefined) this.#waiting.set(client, [start]);
    else waiting.push(start);
  }

  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isBusy = false;
      return;
    }
    const [client, waiting] = next;
    const start = waiting.shift();
    this.#waiting.delete(client);
    if (waiting.length > 0) this.#waiting.set(client, waiting);
    start?.();
  }
}
