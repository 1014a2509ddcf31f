/** What subscribers can be searched by. Every condition that is given must hold. */
import { parseAddress, parseDomain } from "../address.ts";
import type { ListId } from "../list.ts";
import type { Filter } from "./filter.ts";
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
  /** Empty: any. */
  readonly filter: Filter;
}

const byAddress = ["address", "address-desc"] as const;
/** When they were added to the account: an import can say that somebody was a subscriber before that. */
const byAddition = ["oldest", "newest"] as const;
export const subscriberOrders = [...byAddress, ...byAddition] as const;
export type SubscriberOrder = (typeof subscriberOrders)[number];

/**
 * The orders in which the subscribers that a search finds can be read page by page: those that an index has.
 * There is none by name. The addresses of a list, of a domain or of a state that few are in would be searched
 * for among all addresses.
 */
export function ordersOf({
  address,
  name,
  state,
  list,
  filter,
}: SubscriberSearch): readonly SubscriberOrder[] {
  if (address !== null && !("domain" in address)) return byAddress;
  const isMost =
    (address ?? name ?? list) === null && filter.length === 0 && (state === null || state === "active");
  return isMost ? subscriberOrders : byAddition;
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
