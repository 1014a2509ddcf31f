/**
 * Which values a sender may have. A problem is a sentence without its subject, such as "must not be empty";
 * of relays, of which there may be several, it is a whole sentence. What a relay's address may be is in
 * `relay.ts`; whether the DNS agrees is in `dns.ts`.
 */
import {
  type Address,
  addressProblem,
  domainProblem,
  hasMisplacedDot,
  parseAddress,
  parseDomain,
} from "../address.ts";
import { hasAtMost } from "../text.ts";
import { domainOf, isAligned } from "./domains.ts";
import { lacksPassword, type Relay, withoutPassword } from "./relay.ts";
import type { Sender, SenderSecrets } from "./sender.ts";

/** A value that follows the rules, or why the given one does not. */
export type Checked<Value> = { readonly value: Value } | { readonly problem: string };

const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]/u;
const MAX_FROM_NAME = 100;
const MAX_POSTAL_ADDRESS = 500;
const MAX_LIMIT = 1_000_000_000;
export const MAX_RELAYS = 10;
export const MAX_WEIGHT = 1000;

/**
 * Stricter than for subscribers: some of them have such an address, but messages from one are not valid (RFC
 * 5322), and receivers reject them.
 */
export function checkAddress(given: string): Checked<Address> {
  const value = parseAddress(given);
  if (value === null) return { problem: `is not an e-mail address: ${addressProblem(given)}` };
  return hasMisplacedDot(value)
    ? { problem: "must have no dot at its beginning, before the @ or before another dot" }
    : { value };
}

/** May be empty: then the address stands alone. */
export function checkFromName(given: string): Checked<string> {
  const value = given.trim();
  return hasAtMost(MAX_FROM_NAME, value) && !CONTROL.test(value)
    ? { value }
    : { problem: `must have at most ${MAX_FROM_NAME} characters on one line` };
}

/** Without one it is no postal address, and it would be found in every text. */
export const hasLetterOrDigit = (text: string): boolean =>
  /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u.test(text);

/** Laws on commercial mail demand it in each message. It may have several lines. */
export function checkPostalAddress(given: string): Checked<string> {
  const lines = given.split(/\r\n|\r|\n/).map((line) => line.trim());
  const value = lines.join("\n").trim();
  if (value === "")
    return { problem: "must not be empty: give the street and the town, which each message then shows" };
  if (!hasLetterOrDigit(value))
    return {
      problem: "must have letters or digits: give the street and the town, which each message then shows",
    };
  return hasAtMost(MAX_POSTAL_ADDRESS, value) && lines.every((line) => !CONTROL.test(line))
    ? { value }
    : { problem: `must have at most ${MAX_POSTAL_ADDRESS} characters and no control characters` };
}

function checkDomain(given: string): Checked<string> {
  const value = parseDomain(given.trim().replace(/\.$/, ""));
  if (value === null)
    return { problem: `is not a domain: ${domainProblem(given.trim()).replace("after the @", "in it")}` };
  // No domain of the DNS ends in a number. An IP address has no MX record and no key.
  if (/(?:^|\.)\d+$/.test(value))
    return { problem: "is an IP address, not a domain; give one such as bounces.example.org" };
  return value.includes(".")
    ? { value }
    : { problem: "is not a full domain; give one such as bounces.example.org" };
}

export const checkBounceDomain = (given: string): Checked<string> => checkDomain(given);

/** Receivers trust a signature only if its domain belongs to that of the From address. */
export function checkDkimDomain(given: string, fromAddress: string): Checked<string> {
  const from = domainOf(fromAddress);
  const found = given === from ? { value: given } : checkDomain(given);
  if ("problem" in found || isAligned(found.value, from)) return found;
  return {
    problem: `must be ${from}, or a domain above or below it: receivers do not count a signature of another domain`,
  };
}

type SigningValues = Pick<Sender & SenderSecrets, "signing" | "dkimDomain" | "dkimSelector" | "dkimKey">;
/** How the messages of a sender are signed. */
export type SigningState =
  | { readonly kind: "nobody signs" }
  | { readonly kind: "relay signs" }
  | { readonly kind: "incomplete key" }
  | { readonly kind: "signed" | "not aligned"; readonly domain: string; readonly selector: string };

/** Checked before a campaign is sent, and again when it starts: the sender may have changed. */
export function signingOf(sender: SigningValues & Pick<Sender, "fromAddress">): SigningState {
  const { signing, dkimDomain: domain, dkimSelector: selector, dkimKey, fromAddress } = sender;
  if (signing === "none") return { kind: "nobody signs" };
  if (signing === "relay") return { kind: "relay signs" };
  if (domain === null || selector === null || dkimKey === null) return { kind: "incomplete key" };
  return { kind: isAligned(domain, domainOf(fromAddress)) ? "signed" : "not aligned", domain, selector };
}

const SELECTOR = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?)*$/;
/** The name of a DNS record must not be longer. */
const MAX_DNS_NAME = 253;

export function checkSelector(given: string, domain: string): Checked<string> {
  const value = given.trim().toLowerCase();
  return `${value}._domainkey.${domain}`.length <= MAX_DNS_NAME && SELECTOR.test(value)
    ? { value }
    : { problem: "must have letters, digits and hyphens only, such as mailroll or s2026" };
}

export const DEFAULT_SELECTOR = "mailroll";
/** For a new key: messages that are under way still need the record of the old one. */
export function nextSelector(selector: string): string {
  const { name = "", number = "" } = /^(?<name>.*?)(?<number>\d{0,9})$/s.exec(selector)?.groups ?? {};
  return `${name}${number === "" ? 2 : Number(number) + 1}`;
}

export function checkLimit(given: number): Checked<number> {
  return Number.isSafeInteger(given) && given >= 1 && given <= MAX_LIMIT
    ? { value: given }
    : { problem: `must be a whole number from 1 to ${MAX_LIMIT}` };
}

/** Apart from the addresses themselves. */
export function checkRelays(relays: readonly Relay[]): Checked<readonly Relay[]> {
  if (relays.length > MAX_RELAYS) return { problem: `At most ${MAX_RELAYS} relays are possible.` };
  const names = relays.map(({ url }) => withoutPassword(url));
  for (const [index, { url, weight }] of relays.entries()) {
    const name = names[index] ?? "";
    if (!Number.isSafeInteger(weight) || weight < 1 || weight > MAX_WEIGHT)
      return { problem: `The weight of ${name} must be a whole number from 1 to ${MAX_WEIGHT}.` };
    if (names.indexOf(name) !== index)
      return { problem: `The relay ${name} is given twice; give it once, with a larger weight.` };
    if (lacksPassword(url))
      return { problem: `The relay ${name} has a user, but no password is given or stored for it.` };
  }
  return { value: relays };
}
