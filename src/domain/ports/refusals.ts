/** Refused calls. */
import type { Address } from "../address.ts";
import type { Audited } from "../audit.ts";
import type { Refusal, RefusalFilter, RefusalId } from "../refusal.ts";
import type { OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";

export interface NoOps {
  readonly operation: string;
  readonly outcome: string;
  readonly count: number;
}

/** `next` is where the next batch begins; null at the end. */
export interface ErasedRefusals {
  readonly dropped: number;
  readonly next: RefusalId | null;
}

export interface Refusals {
  /** The last call of each counts; the newest first. */
  readonly all: Listing<OfAccount, Refusal>;
  /** In the same order; a page may have fewer rows than asked for although there are more. */
  readonly search: Listing<OfAccount & RefusalFilter, Refusal>;
  byId(args: OfAccount & { readonly id: RefusalId }): Promise<Refusal | null>;
  noOps(args: OfAccount): Promise<readonly NoOps[]>;
  dismiss(args: OfAccount & Audited & { readonly id: RefusalId }): Promise<boolean>;
  /**
   * Deletes refused calls that contain the address, beginning after an id; in batches, because each must be
   * searched.
   */
  erase(args: OfAccount & { readonly address: Address; readonly after: RefusalId }): Promise<ErasedRefusals>;
}
