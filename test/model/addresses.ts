/**
 * The addresses of the model, and which spellings are equal: listed by hand, so that the model trusts no
 * parser.
 */

interface Known {
  /** The normalised form of all spellings. */
  readonly key: string;
  readonly domain: string;
}
const ada: Known = { key: "ada@example.org", domain: "example.org" };
const bob: Known = { key: "bob@example.org", domain: "example.org" };
const eve: Known = { key: "eve@sub.example.org", domain: "sub.example.org" };
const zoe: Known = { key: "zoe@xn--bcher-kva.example", domain: "xn--bcher-kva.example" };
/** Enough addresses that a group contains new ones. */
const others: readonly Known[] = ["kim", "lou", "max", "ned"].map((name) => ({
  key: `${name}@example.org`,
  domain: "example.org",
}));

/** null: not an address. */
const spellings: Readonly<Record<string, Known | null>> = {
  ...Object.fromEntries(others.map((known) => [known.key, known])),
  "ada@example.org": ada,
  "ADA@Example.ORG": ada,
  "  Ada@example.org\t": ada,
  "bob@example.org": bob,
  "Bob@EXAMPLE.org": bob,
  "eve@sub.example.org": eve,
  "zoe@bücher.example": zoe,
  "zoe@BÜCHER.example": zoe,
  "Zoe@xn--bcher-kva.example": zoe,
  "no address": null,
  "@example.org": null,
  "": null,
};

export const emails = Object.keys(spellings);
export const soundEmails = emails.filter((email) => spellings[email] !== null);
export const people = [ada, bob, eve, zoe, ...others];
/** What can be blocked: an address by its key, or a domain without its subdomains. */
export const patterns = [ada.key, bob.key, "@example.org", "@xn--bcher-kva.example"];

export const addressOf = (email: string): Known | null => spellings[email] ?? null;
/** A name that contains another address: a refused call with it belongs to that subscriber's data too. */
export const NAMES_BOB = "Ada, a friend of <Bob@EXAMPLE.org>";
export const areNamedIn: ReadonlyMap<string | null, string> = new Map([[NAMES_BOB, bob.key]]);
/** The address as shown: in the spelling that was given first. */
export const shown = (email: string): string => email.trim();
