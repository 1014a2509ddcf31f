/**
 * Erasing a person: nothing of them stays, but whoever was out stays out. For that a hash of the address is kept, keyed by
 * a secret of the account, so that nobody can find the address by hashing those of a list of their own.
 */
import { hash, randomBytes } from "node:crypto";
import type { Address } from "./address.ts";
import { type Facts, isActive, type Known, noFacts } from "./subscriber.ts";

const KEY_BYTES = 32;
export const newErasureKey = (): Buffer => randomBytes(KEY_BYTES);

/** The block of SHA-256, and what RFC 2104 mixes the key with for the inner and the outer hash. */
const BLOCK_BYTES = 64;
const [INNER, OUTER] = [0x36, 0x5c];
function mixed(key: Uint8Array, pad: number): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES, pad);
  for (const [index, byte] of key.entries()) block[index] = byte ^ pad;
  return block;
}
const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash("sha256", Buffer.concat(parts), "buffer");

/** HMAC-SHA-256. Every stranger who is added is hashed, and Node's own makes an object for it that costs four times as much. */
export const erasureHash = (key: Uint8Array, { key: address }: Pick<Address, "key">): Buffer =>
  sha256(mixed(key, OUTER), sha256(mixed(key, INNER), Buffer.from(address)));

export interface EraseState {
  readonly known: Known | null;
  /** Since when the address itself, and not just its domain, is on the block list. */
  readonly ownBlockAt: number | null;
  /** What an earlier erasure has kept. */
  readonly erased: Facts | null;
}

/** The facts that go on holding; null where none does, and whoever comes back is simply new. */
export function keptWhenErased({ known, ownBlockAt, erased }: EraseState): Facts | null {
  // A block of the whole domain stays on the block list, and holds by itself.
  const blocked = ownBlockAt ?? erased?.blocked ?? null;
  const kept: Facts = { ...(known?.facts ?? erased ?? noFacts), blocked };
  return isActive(kept) ? null : kept;
}
