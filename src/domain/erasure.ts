/**
 * Erasing a person: nothing of them stays, but whoever was out stays out. For that a hash of the address is kept, keyed by
 * a secret of the account, so that nobody can find the address by hashing those of a list of their own.
 */
import { hash, randomBytes } from "node:crypto";
import type { Address } from "./address.ts";
import { earlier, isActive, type Known, noSuppressions, type Suppressions } from "./subscriber.ts";

const KEY_BYTES = 32;
export const newErasureKey = (): Buffer => randomBytes(KEY_BYTES);
/** SHA-3 is made to be keyed by a prefix, in one step: every stranger who is added is hashed, and HMAC takes twice the time. */
export const erasureHash = (key: Uint8Array, { key: address }: Pick<Address, "key">): Buffer =>
  hash("sha3-256", Buffer.concat([key, Buffer.from(address)]), "buffer");

export interface EraseState {
  readonly known: Known | null;
  /** Since when the address itself, and not just its domain, is on the block list. */
  readonly ownBlockAt: number | null;
  /** What an earlier erasure has kept. */
  readonly erased: Suppressions | null;
}

/** The suppressions that go on holding; null where none does, and whoever comes back is simply new. */
export function keptWhenErased({ known, ownBlockAt, erased }: EraseState): Suppressions | null {
  // A block of the whole domain stays on the block list, and holds by itself.
  const blocked = earlier(ownBlockAt, erased?.blocked ?? null);
  const kept: Suppressions = { ...(known?.suppressions ?? erased ?? noSuppressions), blocked };
  return isActive(kept) ? null : kept;
}
