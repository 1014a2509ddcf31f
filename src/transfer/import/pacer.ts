/** Lets work run for a while, and then holds it until it may go on. */
export class Pacer {
  readonly #clock: () => number;
  #until = 0;
  #goOn: () => void = () => {};
  #onHold: () => void = () => {};

  /** A monotonic clock. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** The work calls it wherever it can wait. Rejects with the reason of the signal. */
  async turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#clock() < this.#until) return;
    await new Promise<void>((resolve) => {
      this.#goOn = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      this.#onHold();
    });
    signal.throwIfAborted();
  }

  /** Resolves when the work is held again; never, if it ends before. */
  run(ms: number): Promise<void> {
    this.#until = this.#clock() + ms;
    const held = new Promise<void>((resolve) => {
      this.#onHold = resolve;
    });
    this.#goOn();
    return held;
  }
}
