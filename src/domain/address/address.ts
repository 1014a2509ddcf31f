/**
 * E-mail addresses: which are valid, and when two are equal. The syntax is that of HTML's e-mail input, plus
 * internationalised domains. An address is shown as first given and compared by its key.
 */
import { domainToASCII } from "node:url";

export interface Address {
  /** As given, without the white space around it. */
  readonly text: string;
  /** Equal for two spellings of the same address: lower case, the domain in its ASCII form. */
  readonly key: string;
  readonly domain: string;
}

export const MAX_ADDRESS_LENGTH = 254;
const LOCAL = /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+$/;
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;
const ASCII = /^[a-zA-Z0-9.-]+$/;
/** ASCII letters, digits, dot and hyphen only, so that a URL parser reads nothing but a host. */
const INTERNATIONAL = /^[a-zA-Z0-9.\-\u0080-\u{10ffff}]+$/u;

/** Whether the part before the @ begins or ends with a dot, or has two in a row, which RFC 5322 forbids. */
export const hasMisplacedDot = ({ text }: Address): boolean =>
  text.slice(0, text.lastIndexOf("@")).split(".").includes("");

/** The domain in lower case and ASCII, or null if it is invalid. */
export function parseDomain(text: string): string | null {
  const domain = ASCII.test(text) ? text.toLowerCase() : INTERNATIONAL.test(text) ? domainToASCII(text) : "";
  return domain.length <= 253 && DOMAIN.test(domain) ? domain : null;
}

export function parseAddress(given: string | null): Address | null {
  const text = given?.trim() ?? "";
  if (text.length > MAX_ADDRESS_LENGTH) return null;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  if (!LOCAL.test(local)) return null;
  const domain = parseDomain(text.slice(at + 1));
  if (domain === null) return null;
  const key = `${local.toLowerCase()}@${domain}`;
  return key.length > MAX_ADDRESS_LENGTH ? null : { text, key, domain };
}
