/**
 * Counts domains in bounded memory: how many recipients the most frequent one has. With more than a thousand
 * domains the number may be too small by at most a thousandth of all recipients (Misra and Gries).
 */
export type DomainCounts = Readonly<Record<string, number>>;

const MOST = 1000;

export class Frequent {
  readonly #counts: Map<string, number>;
  constructor(counts: DomainCounts = {}) {
    this.#counts = new Map(Object.entries(counts));
  }

  add(domain: string): void {
    const count = this.#counts.get(domain);
    if (count !== undefined || this.#counts.size < MOST) {
      this.#counts.set(domain, (count ?? 0) + 1);
      return;
    }
    for (const [one, others] of this.#counts)
      if (others === 1) this.#counts.delete(one);
      else this.#counts.set(one, others - 1);
  }

  get largest(): number {
    return Math.max(0, ...this.#counts.values());
  }

  get counts(): DomainCounts {
    return Object.fromEntries(this.#counts);
  }
}
