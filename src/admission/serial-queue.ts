/**
 * Runs tasks one after the other. Large and compressed messages are read this way, in slices with the event
 * loop in between, so that a hundred that arrive together take the memory of one. Waiting tasks are taken
 * from the clients in rotation: a client that sends many delays the others by one task, not by all.
 */
export class SerialQueue {
  /** Waiting tasks by client; the first client is next. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;

  async run<T>(client: string, work: () => Promise<T>): Promise<T> {
    if (this.#isBusy) await new Promise<void>((start) => this.#wait(client, start));
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#next(client);
    }
  }

  #wait(client: string, start: () => void): void {
    const waiting = this.#waiting.get(client);
    if (waiting === undefined) this.#waiting.set(client, [start]);
    else waiting.push(start);
  }

  #next(served: string): void {
    // It was its turn: tasks that arrived meanwhile go first.
    const own = this.#waiting.get(served);
    if (own !== undefined) {
      this.#waiting.delete(served);
      this.#waiting.set(served, own);
    }
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isBusy = false;
      return;
    }
    const [client, waiting] = next;
    const start = waiting.shift();
    if (waiting.length === 0) this.#waiting.delete(client);
    start?.();
  }
}
