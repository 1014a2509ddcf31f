/** The block list of an account: addresses and domains that may not be added. */
import type { Audited } from "../access/audit.ts";
import type { Address } from "../address.ts";
import type { Block } from "../block.ts";
import type { Lease, LeaseRequest } from "../job/job.ts";
import type { Command, OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";

export interface BlockCommand extends Omit<Command, "recordedCall">, Audited {
  readonly pattern: string;
  /** The time of the command, if `at` is another one: an imported block has that of its row. */
  readonly now?: number;
}

/** `lease`: for the job that does what is left after the first batch. */
export interface ChangeBlock extends BlockCommand {
  readonly lease: LeaseRequest;
}
/** `job` is null if every subscriber that the pattern covers was dealt with. */
export interface ChangedBlock {
  readonly isChanged: boolean;
  readonly job: Lease | null;
}

export interface Blocks {
  /** In order of pattern. */
  readonly all: Listing<OfAccount, Block>;
  /** The blocks that cover the address: of itself and of its domain. */
  covering(args: OfAccount & { readonly address: Address }): Promise<readonly Block[]>;
  /**
   * Adds or removes a block, and applies the block list to the first subscribers that the pattern covers. In
   * batches, so that other writes do not wait for a large domain. `isChanged` is false if the block was
   * already there, or was not.
   */
  add(args: ChangeBlock): Promise<ChangedBlock>;
  remove(args: ChangeBlock): Promise<ChangedBlock>;
}
