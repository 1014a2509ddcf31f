/**
 * Escapes values for the place where a template inserts them. Whatever a person calls themself: in HTML it is
 * text, in an address a part of the address, in a style a word. There is no way around it for a template.
 */

/**
 * The places. `link`: a whole link, or its start. `part of a link`: encoded, so that it cannot become a scheme
 * or another host. `rest of a link`: after the host, where / and @ mean nothing.
 */
export const places = [
  ...(["text", "attribute", "link", "part of a link", "rest of a link", "style", "plain"] as const),
];
export type Place = (typeof places)[number];

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

export const escapeFor: Readonly<Record<Place, (value: string) => string>> = {
  text: (value) => escapeHtml(value).replaceAll("\n", "<br>"),
  attribute: escapeHtml,
  link: (value) => escapeHtml(link(value)),
  "part of a link": (value) => escapeHtml(linkPart(value)),
  "rest of a link": (value) => escapeHtml(linkPart(value).replaceAll("%2F", "/").replaceAll("%40", "@")),
  style: (value) => value.replaceAll(/[^\p{L}\p{N}#%., -]/gu, ""),
  plain: (value) => value,
};
