/** For all stores: what is stored about a write with an idempotency key. */
import { deserialize, serialize } from "node:v8";
import type { AccountId } from "../domain/account.ts";
import type { Address } from "../domain/address.ts";
import { IdempotencyKeyReused } from "../domain/ports/errors.ts";

/** The result of a write with a key. */
export interface Kept {
  readonly value: unknown;
  /** Whether it is from a record: the write was not made again. */
  readonly isRepeat: boolean;
}

/** Whose data the result of a write is about: it is deleted with them. */
export interface ResultSubject {
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
/** After a correction, the subscriber is at the new address. An erasure must not store whom it erased. */
export function subjectOf(kind: string, args: object): ResultSubject {
  const { account, id, address, pattern, correction }: Naming = args;
  const ofAccount = kind.startsWith("accounts.") && typeof id === "number" ? id : null;
  const block = pattern === undefined || pattern.startsWith("@") ? null : pattern;
  return {
    account: account ?? ofAccount,
    address: kind.endsWith(".erase") ? null : (correction?.address?.key ?? address?.key ?? block),
  };
}

/** Results are outcomes and single rows. A larger one is a mistake: it would be kept for a day. */
const MAX_RESULT_BYTES = 262_144;

/** Unlike JSON, the format of V8 has numbers of 64 bits and bytes. */
export function serializeResult(value: unknown): Buffer {
  const bytes = serialize(value);
  if (bytes.length > MAX_RESULT_BYTES)
    throw new Error(`a result of ${bytes.length} bytes is too large to be stored with an idempotency key`);
  return bytes;
}
export const readResult = (bytes: Uint8Array): unknown => deserialize(bytes);

export const keyReused = (): IdempotencyKeyReused =>
  new IdempotencyKeyReused(
    "this idempotency key was used for another request; use a new key for each request",
  );
