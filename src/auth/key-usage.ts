/**
 * Keeps the time of the last use of each key or token (wall clock) in memory until it is written to the
 * database.
 */
type Touch<Id> = (args: {
  readonly uses: readonly { readonly id: Id; readonly at: number }[];
}) => Promise<unknown>;

export class KeyUsage<Id extends number> {
  readonly #touch: Touch<Id>;
  readonly #usedAt = new Map<Id, number>();

  constructor(touch: Touch<Id>) {
    this.#touch = touch;
  }

  used(id: Id, at: number): void {
    this.#usedAt.set(id, at);
  }

  /** Writes all to the database; after a failure they are kept for the next time. */
  async flush(): Promise<void> {
    if (this.#usedAt.size === 0) return;
    const uses = [...this.#usedAt].map(([id, at]) => ({ id, at }));
    this.#usedAt.clear();
    try {
      await this.#touch({ uses });
    } catch (error) {
      for (const { id, at } of uses) if (!this.#usedAt.has(id)) this.#usedAt.set(id, at);
      throw error;
    }
  }
}
