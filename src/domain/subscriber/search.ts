/** What subscribers can be searched by. Every condition that is given must hold. */
import { parseAddress, parseDomain } from "../address.ts";
import type { ListId } from "../list.ts";
import type { State } from "./subscriber.ts";

/** Which addresses are meant, in the spelling of their keys. */
export type AddressSearch =
  | { readonly is: string }
  | { readonly startsWith: string }
  | { readonly domain: string };

/** null: any. */
export interface SubscriberSearch {
  readonly address: AddressSearch | null;
  /** The beginning of a last name, of a first name, or of the two with a space between them. */
  readonly name: string | null;
  readonly state: State | null;
  /** Also of a membership that is pending or suspended. */
  readonly list: ListId | null;
}

const BEGINNING = /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+(?:@[a-z0-9.-]*)?$/;

/**
 * The form of the text decides: `@example.org` is a domain, `ada@example.org` one address, and anything else
 * the beginning of addresses. null if it is none of them.
 */
export function parseAddressSearch(given: string): AddressSearch | null {
  const text = given.trim();
  if (text.startsWith("@")) {
    const domain = parseDomain(text.slice(1));
    return domain === null ? null : { domain };
  }
  const address = parseAddress(text);
  if (address !== null) return { is: address.key };
  const startsWith = text.toLowerCase();
  return BEGINNING.test(startsWith) ? { startsWith } : null;
}

/** Lower case of A to Z alone, as both databases have it in every locale. */
const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * The beginning of a name as it may be stored, with A to Z in lower case: as given, in lower case, in upper
 * case, and with each word capitalised. The databases know the case of other letters only in some locales.
 */
export function spellingsOf(name: string): readonly string[] {
  const given = name.normalize("NFC");
  const lower = given.toLowerCase();
  const capitalised = lower.replaceAll(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  const spellings = [given, lower, given.toUpperCase(), capitalised].map(lowerAscii);
  // A letter such as ß has two letters in upper case.
  const length = [...given].length;
  return [...new Set(spellings)].filter((spelling) => [...spelling].length === length);
}
