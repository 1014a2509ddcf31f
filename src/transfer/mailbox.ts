/**
 * Addresses as people copy them: `Ada Lovelace <ada@example.org>` from a mail program,
 * `mailto:ada@example.org` from a page. For tables and the command line; callers of the service send
 * addresses alone.
 */
import { type Address, parseAddress } from "../domain/address.ts";
import { addressProblem } from "../domain/address-problem.ts";

/** Longer ones name nobody: an address has at most 254 characters. */
const MAX_LENGTH = 1000;
const BRACKETED = /^(?<name>.*)<(?<address>[^<>]*)>$/su;
const MAILTO = /^mailto:(?<address>[^?]*)/iu;
const QUOTED_NAME = /"(?:[^"\\]|\\.)*"/gsu;

/** The address without what stands around it; a text of another form stays as it is, but for white space. */
export function bareAddress(given: string): string {
  const text = given.trim();
  if (text.length > MAX_LENGTH) return text;
  const { name = "", address } = BRACKETED.exec(text)?.groups ?? {};
  if (address === undefined) return withoutScheme(text);
  return namesOne(name.replace(QUOTED_NAME, "")) ? withoutScheme(address.trim()) : text;
}

/** Whether nobody else is named before the brackets: of two addresses, none is taken. */
const namesOne = (name: string): boolean => !/[<>]|@.*[,;]/s.test(name);

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
