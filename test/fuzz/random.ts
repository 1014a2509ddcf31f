/** Seeded pseudo-random numbers and choices, so that any case can be repeated. */

export class Random {
  #state: number;

  constructor(seed: number) {
    // Adjacent seeds must not make similar cases.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 0;
    this.#next();
  }

  /** mulberry32, by Tommy Ettinger: public domain. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** From 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.#next() * below);
  }
  /** True once in `times` calls, on average. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }
  pick<T>(things: readonly [T, ...T[]] | readonly T[]): T {
    return things[this.below(things.length)] as T;
  }
  shuffled<T>(things: readonly T[]): T[] {
    const all = [...things];
    for (let last = all.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      [all[last], all[other]] = [all[other] as T, all[last] as T];
    }
    return all;
  }
  many<T>(below: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(below) }, (_, index) => make(index));
  }
  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}
