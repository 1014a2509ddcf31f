/** For all stores: what is stored about a write with an idempotency key. */
import { deserialize, serialize } from "node:v8";
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import { IdempotencyKeyReused, ResultErased } from "#domain/ports/errors.ts";

/** The result of a write with a key. */
export interface Kept {
  readonly value: unknown;
  /** Whether it is from a record: the write was not made again. */
  readonly isRepeat: boolean;
}

/** What a result is about: the kind of the write, and whose data it has. It is deleted with them. */
export interface ResultSubject {
  readonly kind: string;
  readonly account: AccountId | null;
  readonly address: string | null;
}

interface Naming {
  readonly account?: AccountId;
  readonly id?: unknown;
  readonly address?: Address | null;
  readonly pattern?: string;
  readonly correction?: { readonly address: Address | null };
}
/**
 * Stands for an address: an upload, and its name, may contain any person, and all are deleted when a
 * subscriber is erased.
 */
export const ANYBODY = "uploads";

/** After a correction, the subscriber is at the new address. An erasure must not store whom it erased. */
export function subjectOf(kind: string, args: object): ResultSubject {
  const { account, id, address, pattern, correction }: Naming = args;
  const ofAccount = kind.startsWith("accounts.") && typeof id === "number" ? id : null;
  const block = pattern === undefined || pattern.startsWith("@") ? null : pattern;
  if (kind.startsWith("uploads.")) return { kind, account: account ?? null, address: ANYBODY };
  return {
    kind,
    account: account ?? ofAccount,
    address: kind.endsWith(".erase") ? null : (correction?.address?.key ?? address?.key ?? block),
  };
}

/** Results are outcomes and single rows. A larger one is a mistake: it would be kept for a day. */
const MAX_RESULT_BYTES = 262_144;

/** Of which kind of write, and its value. Unlike JSON, the format of V8 has numbers of 64 bits and bytes. */
export function serializeResult(kind: string, value: unknown): Buffer {
  const bytes = serialize([kind, value]);
  if (bytes.length > MAX_RESULT_BYTES)
    throw new Error(`a result of ${bytes.length} bytes is too large to be stored with an idempotency key`);
  return bytes;
}
/** Stays instead of a result about an erased subscriber: a repeat must not store them again. */
export const ERASED_RESULT = serialize(["erased", null]);
/** A request that makes other writes when it is repeated must not get the result of another write. */
export function readResult(kind: string, bytes: Uint8Array): unknown {
  const [stored, value] = deserialize(bytes) as readonly [string, unknown];
  if (stored === kind) return value;
  if (ERASED_RESULT.equals(bytes)) throw new ResultErased("the result of this request was erased");
  throw new Error(`a repeated request makes the write ${kind} where it made ${stored} before`);
}

/** Of a request about an erased subscriber only. */
export const ERASED_FINGERPRINT = new Uint8Array();
/**
 * The stored result of a write; null: it has to be executed. `kept` is the fingerprint of the first request
 * with the key. If that was erased, another request with the key cannot be told from a repeat, and nothing is
 * executed.
 */
export function storedResult(
  kept: Uint8Array,
  given: Uint8Array,
  result: Uint8Array | undefined,
): Uint8Array | null {
  const isErased = kept.length === ERASED_FINGERPRINT.length;
  if (isErased ? result === undefined : Buffer.compare(kept, given) !== 0)
    throw new IdempotencyKeyReused(
      "this idempotency key was used for another request; use a new key for each request",
    );
  return result ?? null;
}
