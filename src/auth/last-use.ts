/**
 * Keeps the last use of each key, token or session in memory until it is written to the database: the time
 * (wall clock) and, of a key, the network of its client.
 */
import { network24Or48Of } from "./recent-keys.ts";

interface Use {
  at: number;
  /** A copy; null: not to be stored. */
  client: string | null;
}
type Touch<Id> = (args: {
  readonly uses: readonly { readonly id: Id; readonly at: number; readonly network: string | null }[];
}) => Promise<unknown>;

export class LastUse<Id extends number> {
  readonly #touch: Touch<Id>;
  readonly #uses = new Map<Id, Use>();

  constructor(touch: Touch<Id>) {
    this.#touch = touch;
  }

  used(id: Id, at: number, client: string | null = null): void {
    const use = this.#uses.get(id);
    if (use === undefined) this.#uses.set(id, { at, client });
    else {
      use.at = at;
      use.client = client;
    }
  }

  /** Writes all to the database; after a failure they are kept for the next time. */
  async flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses];
    this.#uses.clear();
    try {
      await this.#touch({
        uses: uses.map(([id, { at, client }]) => ({
          id,
          at,
          network: client === null ? null : network24Or48Of(client),
        })),
      });
    } catch (error) {
      for (const [id, use] of uses) if (!this.#uses.has(id)) this.#uses.set(id, use);
      throw error;
    }
  }
}
