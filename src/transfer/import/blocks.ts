/** The blocks that an import adds, and which of them are new. */
import type { ImportId } from "#domain/access/origin.ts";
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address/address.ts";
import { collect } from "#domain/paging/pages.ts";
import { addBlock } from "#jobs/in-batches.ts";
import type { DryRun } from "./dry-run.ts";
import type { ImportStore } from "./retrying-store.ts";

interface Block {
  readonly pattern: string;
  readonly at: number;
}

export class ImportBlocks {
  readonly #store: Pick<ImportStore, "blocks" | "jobs">;
  readonly #account: AccountId;
  readonly #dryRun: DryRun | null;
  /** The patterns of the blocks that this import added. */
  readonly #added = new Set<string>();
  #known: Set<string> | null = null;

  constructor(store: Pick<ImportStore, "blocks" | "jobs">, account: AccountId, dryRun: DryRun | null) {
    this.#store = store;
    this.#account = account;
    this.#dryRun = dryRun;
  }

  /** The blocks are added before the subscribers, who are then suppressed. Returns how many are new. */
  async add(blocks: readonly Block[], batch: ImportId | null, now: number): Promise<number> {
    const account = this.#account;
    const origin = { kind: "import", batch } as const;
    const isNew = await Promise.all(
      blocks.map(
        async ({ pattern, at }) =>
          await (this.#dryRun?.block(pattern) ??
            (await addBlock(this.#store, { account, pattern, at, now, origin })).isChanged),
      ),
    );
    for (const [index, { pattern }] of blocks.entries()) {
      this.#known?.add(pattern);
      if (isNew[index] === true) this.#added.add(pattern);
    }
    return isNew.filter((one) => one).length;
  }

  /** How many of these are not blocked yet. */
  async countNew(blocks: readonly Pick<Block, "pattern">[]): Promise<number> {
    const account = this.#account;
    this.#known ??= new Set(
      (await collect(this.#store.blocks.all.pages({ account }))).map(({ pattern }) => pattern),
    );
    return new Set(blocks.map(({ pattern }) => pattern)).difference(this.#known).size;
  }

  /** The pattern of a block that this import added and that covers the address. */
  patternOf({ key, domain }: Address): string | undefined {
    return [key, `@${domain}`].find((pattern) => this.#added.has(pattern));
  }
}
