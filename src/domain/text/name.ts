/** Names of accounts, lists, fields and campaigns: one rule for all. */
import { hasAtMost } from "./text-length.ts";

export const MAX_NAME_LENGTH = 100;
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]/u;

/** The normalized name, or null if it is invalid. */
export function parseName(given: string | null): string | null {
  const name = given?.trim() ?? "";
  return name === "" || !hasAtMost(MAX_NAME_LENGTH, name) || CONTROL.test(name) ? null : name;
}

/** Equal for names that differ only in case. */
export const nameKey = (name: string): string => name.normalize("NFC").toLowerCase();
