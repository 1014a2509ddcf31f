/**
 * API keys. Only a key's hash is stored: a key has 128 random bits, so a plain SHA-256 cannot be
 * brute-forced. Keys are compared ignoring case and the white space around them.
 */
import { createHash, hkdfSync, randomBytes } from "node:crypto";
import type { AccountId } from "../account.ts";
import type { Id } from "../id.ts";
import { ownText } from "../text.ts";

export type KeyId = Id<"KeyId">;
export const scopes = ["full", "read"] as const;
export type Scope = (typeof scopes)[number];

export interface ApiKey {
  readonly id: KeyId;
  readonly account: AccountId;
  /** The first characters, so that users can tell keys apart. */
  readonly hint: string;
  /** null if the key was created before lengths were stored. */
  readonly length: number | null;
  readonly label: string;
  readonly scope: Scope;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}
/** What users set and change, and thereby its version (`version.ts`). */
export const changeableKey = ["label", "scope", "expiresAt", "revokedAt"] as const;

export const newKey = (): string => randomBytes(16).toString("hex").toUpperCase();

export const MAX_KEY_LENGTH = 128;
/** Maximum length with surrounding white space, which allows for line breaks and indentation of messages. */
const MAX_GIVEN_LENGTH = 1024;
const KEY = /^[\x21-\x7e]{8,128}$/;

/**
 * The normalised form of a key, copied: a slice would keep the whole message in memory. An existing key of
 * another system may have a different format than generated ones.
 */
export function parseKey(given: string | null): string | null {
  if (given === null || given.length > MAX_GIVEN_LENGTH) return null;
  const key = given.trim();
  return KEY.test(key) ? ownText(key).toUpperCase() : null;
}

export const hashKey = (key: string): Buffer => createHash("sha256").update(key).digest();
const hintOf = (key: string): string => key.slice(0, 4);
/** What is stored of a normalised key. */
export const storedForm = (key: string) => ({ hash: hashKey(key), hint: hintOf(key), length: key.length });

/** Generated keys have 32 characters; one this short may be guessed. */
export const SHORT_KEY_LENGTH = 16;
export const isShort = ({ length }: Pick<ApiKey, "length">): boolean =>
  length !== null && length < SHORT_KEY_LENGTH;
export const SHORT_KEY_WARNING = `has fewer than ${SHORT_KEY_LENGTH} characters and may be guessed; give its integrations a new one (mailroll key create), then revoke it (mailroll key revoke)`;

export const isUsable = (key: Pick<ApiKey, "revokedAt" | "expiresAt">, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);

/** How long a node may accept a key after it was read from the database. */
export const KEY_CACHE_MS = 500;

/** Keys for single purposes, derived from the secret of the installation. */
const BYTES = 32;
export const newInstallationSecret = (): Buffer => randomBytes(BYTES);

/** A key for one purpose says nothing about the secret, or about the keys for other purposes. */
export const keyFor = (secret: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), `mailroll ${purpose}`, BYTES));
