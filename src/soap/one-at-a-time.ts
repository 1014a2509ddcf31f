/**
 * Large messages are read one after the other, each with turns for everybody else in between: what reading one takes of
 * memory, a hundred that arrive together take only once.
 */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
