/**
 * Escapes values for the context into which a template inserts them. Whatever a person calls themself: in
 * HTML it is text, in an address a part of the address, in a style a word. There is no way around it for a
 * template.
 */

/**
 * `link`: a whole link, or its start. `part of a link`: encoded, so that it cannot become a scheme or another
 * host. `rest of a link`: after the host, where / and @ mean nothing.
 */
const linkContexts = ["link", "part of a link", "rest of a link"] as const;
type LinkContext = (typeof linkContexts)[number];
export const escapeContexts = [
  ...(["text", "attribute", "style", "plain"] as const),
  ...linkContexts,
  // In a text part that is made from HTML.
  ...(["plain link", "plain part of a link", "plain rest of a link"] as const),
];
export type EscapeContext = (typeof escapeContexts)[number];

/** The context in text of what is in this context in HTML. */
export const inPlainText = (context: EscapeContext): EscapeContext =>
  isLinkContext(context) ? `plain ${context}` : "plain";
const isLinkContext = (context: EscapeContext): context is LinkContext =>
  (linkContexts as readonly EscapeContext[]).includes(context);

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

export const escapeFor: Readonly<Record<EscapeContext, (value: string) => string>> = {
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
