/** The block list of an account: addresses and domains that may not be added. */
import type { Block } from "../block.ts";
import type { SubscriberId } from "../subscriber.ts";
import type { Command, OfAccount } from "./command.ts";

export interface BlockCommand extends Omit<Command, "recordedCall"> {
  readonly pattern: string;
}

export interface Blocks {
  all(args: OfAccount): Promise<readonly Block[]>;
  /** False if nothing changed. */
  add(args: BlockCommand): Promise<boolean>;
  remove(args: BlockCommand): Promise<boolean>;
  /**
   * Applies the block list to the next subscribers that match the pattern, beginning after an id. Returns the
   * last id, or null at the end. In batches, so that other writes do not wait for a large domain.
   */
  apply(args: BlockCommand & { readonly after: SubscriberId }): Promise<SubscriberId | null>;
}
