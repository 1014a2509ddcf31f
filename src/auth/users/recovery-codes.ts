/**
 * Codes for users who have lost their authenticator app. Each works once. They have 80 random bits, so a
 * plain SHA-256 is stored.
 */
import { createHash, randomBytes } from "node:crypto";

const CODES = 10;
/** No letter or digit that looks like another. */
const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const LENGTH = 16;

const newCode = (): string =>
  [...randomBytes(LENGTH)]
    .map((byte) => ALPHABET[byte % ALPHABET.length] ?? "")
    .join("")
    .replaceAll(/.{4}(?=.)/g, "$&-");

export const newRecoveryCodes = (): readonly string[] => Array.from({ length: CODES }, newCode);

/** However it is typed; null: it is not of this form. */
export function hashRecoveryCode(given: string): Buffer | null {
  const code = given.replaceAll(/[\s-]/g, "").toUpperCase();
  if (code.length !== LENGTH) return null;
  return createHash("sha256").update(code).digest();
}
