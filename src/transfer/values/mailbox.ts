/**
 * Addresses as users copy them: `Ada Lovelace <ada@example.org>` from a mail program,
 * `mailto:ada@example.org` from a web page. For files and the command line; SOAP calls take plain addresses
 * only.
 */
import { type Address, addressProblem, parseAddress } from "#domain/address.ts";

/** Longer texts are not searched: an address has at most 254 characters. */
const MAX_LENGTH = 1000;
const BRACKETED = /^(?<name>.*)<(?<address>[^<>]*)>$/su;
const MAILTO = /^mailto:(?<address>[^?]*)/iu;
const QUOTES = /^(?<quote>["'])(?<text>.*)\k<quote>$/su;
const QUOTED_NAME = /"(?:[^"\\]|\\.)*"/gsu;

/** The address without display name or scheme; any other text is only trimmed. */
export function bareAddress(given: string): string {
  const text = given.trim();
  if (text.length > MAX_LENGTH) return text;
  const { name = "", address } = BRACKETED.exec(text)?.groups ?? {};
  if (address === undefined) return withoutScheme(text);
  const inBrackets = withoutScheme(address.trim());
  return namesOther(name, inBrackets) ? text : inBrackets;
}

/** Whether there is another address before the brackets; of two addresses, neither is used. */
function namesOther(name: string, address: string): boolean {
  if (/[<>]|@.*[,;]/s.test(name.replace(QUOTED_NAME, ""))) return true;
  const named = parseAddress(name.trim().replace(QUOTES, "$<text>"));
  return named !== null && named.key !== parseAddress(address)?.key;
}

function withoutScheme(text: string): string {
  const address = MAILTO.exec(text)?.groups?.address;
  if (address === undefined) return text;
  try {
    return decodeURIComponent(address).trim();
  } catch {
    return address.trim();
  }
}

/** The address, or what is wrong with it. */
export function readMailbox(given: string): Address | string {
  const text = bareAddress(given);
  return parseAddress(text) ?? addressProblem(text);
}
