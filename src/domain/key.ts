/**
 * API keys. Only a key's hash is kept: a key has 128 random bits, so a plain SHA-256 cannot be searched.
 * Keys are compared ignoring case and the white space around them.
 */
import { createHash, randomBytes } from "node:crypto";
import type { AccountId } from "./account.ts";

export type KeyId = number;
export const scopes = ["full", "read"] as const;
export type Scope = (typeof scopes)[number];

export interface ApiKey {
  readonly id: KeyId;
  readonly account: AccountId;
  /** The first digits, for people to tell keys apart. */
  readonly hint: string;
  readonly label: string;
  readonly scope: Scope;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}

export const newKey = (): string => randomBytes(16).toString("hex").toUpperCase();

/** A key taken over from elsewhere may have other shapes than ours. */
export function parseKey(given: string | null): string | null {
  const key = given?.trim() ?? "";
  return /^[\x21-\x7e]{8,128}$/.test(key) ? key.toUpperCase() : null;
}

export const hashKey = (key: string): Buffer => createHash("sha256").update(key).digest();
export const hintOf = (key: string): string => key.slice(0, 4);

export const isUsable = (key: ApiKey, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
