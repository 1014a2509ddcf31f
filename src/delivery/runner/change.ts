/** A signal that something has changed. A signal between two looks is not lost. */
export class Change {
  #signal: () => void = () => {};

  /** Resolves at the next signal. To be called before the look at what has changed. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#signal = resolve;
    });
  }
  signal(): void {
    this.#signal();
  }
}
