/** Domains of a sender, and whether two belong together. */

/** Of an address that is known to be valid; in ASCII if the address is. */
export const domainOf = (address: string): string =>
  address.slice(address.lastIndexOf("@") + 1).toLowerCase();

/** Whether the first is the second, or below it. */
export const isWithin = (domain: string, parent: string): boolean =>
  domain === parent || domain.endsWith(`.${parent}`);

/**
 * Whether receivers consider both as one organisation, in relaxed alignment: they are equal, or one is below
 * the other. A single label, such as "org", is no domain of a sender. Siblings are not aligned here: to know
 * that "a.example.org" and "b.example.org" belong together needs the DMARC record of "example.org".
 */
export const isAligned = (one: string, other: string): boolean =>
  one === other ||
  (one.includes(".") && other.includes(".") && (isWithin(one, other) || isWithin(other, one)));

/** The domain and its parent domains, down to two labels. */
export function withParents(domain: string): readonly string[] {
  const labels = domain.split(".");
  return labels.slice(0, Math.max(1, labels.length - 1)).map((_, index) => labels.slice(index).join("."));
}

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
