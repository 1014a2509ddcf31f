/**
 * Fair shares of time: the next to be served is the one that has used the least time. Who is new, or has been
 * idle, starts level with the others: time that was not used is not saved up.
 */
export class TimeShares<Key> {
  /** The time that each has used, of those who are ahead of `#level`. */
  readonly #used = new Map<Key, number>();
  /** What the one that was served last had used before. */
  #level = 0;

  /** Of several that have used the same time, the first. */
  next<Candidate>(
    candidates: Iterable<Candidate>,
    keyOf: (candidate: Candidate) => Key,
  ): Candidate | undefined {
    let best: Candidate | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const candidate of candidates) {
      const used = this.#usedBy(keyOf(candidate));
      if (used >= least) continue;
      best = candidate;
      least = used;
    }
    return best;
  }

  add(key: Key, time: number): void {
    const used = this.#usedBy(key);
    this.#level = used;
    this.#used.set(key, used + time);
    // They are as those that are new.
    for (const [other, total] of this.#used) if (total <= this.#level) this.#used.delete(other);
  }

  #usedBy(key: Key): number {
    return Math.max(this.#used.get(key) ?? 0, this.#level);
  }
}
