/** The block list: whole addresses, or every address of a domain (not of its subdomains). */
import { type Address, addressProblem, domainProblem, parseAddress, parseDomain } from "./address.ts";

export interface Block {
  /** An address's key, or "@" and a domain. */
  readonly pattern: string;
  readonly createdAt: number;
}

/** The patterns that cover an address. */
export const patternsOf = ({ key, domain }: Address): readonly string[] => [key, `@${domain}`];

/** Why a text is not a block pattern. */
export const patternProblem = (text: string): string =>
  text.startsWith("@") ? domainProblem(text.slice(1)) : addressProblem(text);

export function parsePattern(given: string): string | null {
  const text = given.trim();
  if (!text.startsWith("@")) return parseAddress(text)?.key ?? null;
  const domain = parseDomain(text.slice(1));
  return domain === null ? null : `@${domain}`;
}
