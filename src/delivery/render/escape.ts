/**
 * Escapes values for the place where a template inserts them. Whatever a person calls themself: in HTML it is
 * text, in an address a part of the address, in a style a word. There is no way around it for a template.
 */

/**
 * `link`: a whole link, or its start. `part of a link`: encoded, so that it cannot become a scheme or another
 * host. `rest of a link`: after the host, where / and @ mean nothing.
 */
const linkPlaces = ["link", "part of a link", "rest of a link"] as const;
type LinkPlace = (typeof linkPlaces)[number];
export const places = [
  ...(["text", "attribute", "style", "plain"] as const),
  ...linkPlaces,
  // In a text part that is made from HTML.
  ...(["plain link", "plain part of a link", "plain rest of a link"] as const),
];
export type Place = (typeof places)[number];

/** The place in text of what is in this place in HTML. */
export const inPlainText = (place: Place): Place => (isLinkPlace(place) ? `plain ${place}` : "plain");
const isLinkPlace = (place: Place): place is LinkPlace => (linkPlaces as readonly Place[]).includes(place);

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
export const escapeHtml = (text: string): string =>
  /[&<>"']/.test(text) ? text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "") : text;

/**
 * Links to other schemes, such as javascript:, are left empty. Browsers delete tabs and line breaks anywhere
 * in a URL, so the scheme is looked for without them.
 */
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;
const allowedSchemes = new Set(["http", "https", "mailto", "tel", "sms"]);
function link(value: string): string {
  const url = value.replaceAll(/\p{Cc}/gu, "").trim();
  const scheme = SCHEME.exec(url)?.[1];
  return scheme === undefined || allowedSchemes.has(scheme.toLowerCase()) ? url : "";
}

/** Half of a surrogate pair cannot be encoded. */
const linkPart = (value: string): string => encodeURIComponent(value.toWellFormed());
const linkRest = (value: string): string => linkPart(value).replaceAll("%2F", "/").replaceAll("%40", "@");

export const escapeFor: Readonly<Record<Place, (value: string) => string>> = {
  text: (value) => escapeHtml(value).replaceAll("\n", "<br>"),
  attribute: escapeHtml,
  link: (value) => escapeHtml(link(value)),
  "part of a link": (value) => escapeHtml(linkPart(value)),
  "rest of a link": (value) => escapeHtml(linkRest(value)),
  style: (value) => value.replaceAll(/[^\p{L}\p{N}#%., -]/gu, ""),
  plain: (value) => value,
  "plain link": link,
  "plain part of a link": linkPart,
  "plain rest of a link": linkRest,
};
