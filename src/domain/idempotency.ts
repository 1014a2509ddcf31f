/**
 * Idempotent requests. A client gives a request a key. If it repeats the request with the same key, because
 * it did not get the answer, the request is executed once and answered from a record.
 *
 * The record contains neither the key nor the request. The key is stored as a hash. The fingerprint of the
 * request is hashed together with the key, so that a request cannot be found by guessing addresses.
 */
import { hash } from "node:crypto";
import type { Id } from "./id.ts";

/** How long the results of a request are kept. */
export const IDEMPOTENCY_MS = 24 * 3_600_000;

export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
const KEY = /^[\x20-\x7e]{1,255}$/;
/** Printable ASCII characters: what an HTTP header can contain everywhere. */
export const isIdempotencyKey = (text: string): boolean => KEY.test(text);

export const FINGERPRINT_BYTES = 32;

/** A request with a key. */
export interface IdempotentRequest {
  /** The user who sent it: the same key of another user is another key. */
  readonly owner: Id<"UserId">;
  readonly key: string;
  /** SHA-256 of everything that makes it the same request. */
  readonly fingerprint: Uint8Array;
  readonly at: number;
}

/** One write of such a request, as a store gets it. */
export interface Idempotency {
  readonly owner: Id<"UserId">;
  readonly hash: Uint8Array;
  readonly fingerprint: Uint8Array;
  /** Which write of the request it is. */
  readonly ordinal: number;
  readonly at: number;
}

export type StoredRequest = Omit<Idempotency, "ordinal">;

/** What is stored of a request. Throws if its key is none (`isIdempotencyKey`). */
export function storedRequest({ owner, key, fingerprint, at }: IdempotentRequest): StoredRequest {
  if (!isIdempotencyKey(key))
    throw new RangeError(`an idempotency key has 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} printable characters`);
  if (fingerprint.length !== FINGERPRINT_BYTES)
    throw new RangeError(`a fingerprint has ${FINGERPRINT_BYTES} bytes`);
  // Both begin with what they are for, so that the one says nothing about the other.
  const keyText = Buffer.from(`${key}\0`);
  return {
    owner,
    hash: hash("sha256", Buffer.concat([Buffer.from("key\0"), keyText]), "buffer"),
    fingerprint: hash("sha256", Buffer.concat([Buffer.from("request\0"), keyText, fingerprint]), "buffer"),
    at,
  };
}
