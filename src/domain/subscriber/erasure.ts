/**
 * Erasing a subscriber: all data is deleted, but suppressions stay in force. For that a hash of the address
 * is kept, keyed with a secret of the account, so that the address cannot be found by hashing candidate
 * addresses.
 */
import { hash, randomBytes } from "node:crypto";
import type { Address } from "../address.ts";
import { containsAddress } from "../find-address.ts";
import type { SubscriberChange } from "./change.ts";
import { earlier, isActive, type Known, noSuppressions, type Suppressions, stateOf } from "./subscriber.ts";

const KEY_BYTES = 32;
export const newErasureKey = (): Buffer => randomBytes(KEY_BYTES);
/**
 * SHA-3 is secure with a key prefix, in one step. Every new address is hashed, and HMAC takes twice the time.
 */
export const erasureHash = (key: Uint8Array, { key: address }: Pick<Address, "key">): Buffer =>
  hash("sha3-256", Buffer.concat([key, Buffer.from(address)]), "buffer");

export interface EraseState {
  readonly known: Known | null;
  /** Since when the address itself, and not just its domain, is on the block list. */
  readonly ownBlockAt: number | null;
  /** What an earlier erasure kept. */
  readonly erased: Suppressions | null;
}

/**
 * `kept`: the suppressions that stay in force; null if there is none, and the address can be added as new.
 */
export const decideErasure = (
  state: EraseState,
  at: number,
): { readonly kept: Suppressions | null; readonly changes: readonly SubscriberChange[] } => ({
  kept: keptWhenErased(state),
  changes: state.known === null ? [] : deleteSubscriber(state.known, at),
});

/** The subscriber leaves the counters first. */
export const deleteSubscriber = ({ suppressions }: Known, at: number): readonly SubscriberChange[] => [
  { kind: "change-state", at, from: stateOf(suppressions), to: null },
  { kind: "delete-subscriber" },
];

function keptWhenErased({ known, ownBlockAt, erased }: EraseState): Suppressions | null {
  // A block of the whole domain stays on the block list anyway.
  const blocked = earlier(ownBlockAt, erased?.blocked ?? null);
  const kept: Suppressions = { ...(known?.suppressions ?? erased ?? noSuppressions), blocked };
  return isActive(kept) ? null : kept;
}

/** In place of the name of an imported file that contained the erased address. */
export const ERASED_FILE_NAME = "(erased)";
const EXTENSIONS = /(?:\.rejected(?:-\d+)?)?\.(?:csv|tsv|txt)$/i;

/**
 * Whether the name of an imported file contains the address. Words are joined to it in any way, as in
 * `export-ada@example.org.csv`, so part of a longer address counts too: only a file name is lost.
 */
export const namesAddress = (fileName: string, address: Address): boolean =>
  [address.key, address.text.toLowerCase()].some((text) => fileName.toLowerCase().includes(text)) ||
  containsAddress(JSON.stringify(fileName.replace(EXTENSIONS, "")), address);
