/** The block list: whole addresses, or every address of a domain (not of its subdomains). */
import { parseAddress, parseDomain } from "./address.ts";

export interface Block {
  /** An address's key, or "@" and a domain. */
  readonly pattern: string;
  readonly createdAt: number;
}

export function parsePattern(given: string): string | null {
  const text = given.trim();
  if (!text.startsWith("@")) return parseAddress(text)?.key ?? null;
  const domain = parseDomain(text.slice(1));
  return domain === null ? null : `@${domain}`;
}
