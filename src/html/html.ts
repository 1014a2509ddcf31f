/**
 * HTML as a tagged template: whatever is inserted is escaped, unless it is HTML made by the same template. So
 * text of the contract, an address or a sample can never become markup.
 */
export interface Html {
  readonly html: string;
}
export type Insert = string | number | Html | readonly Insert[] | null;

export function html(strings: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  const text = strings.reduce((out, piece, index) => out + inserted(inserts[index - 1] ?? null) + piece);
  return { html: text };
}

/** Text in which words between backticks are code. */
export const prose = (text: string): Html =>
  html`${text.split("`").map((piece, at) => (at % 2 === 1 ? html`<code>${piece}</code>` : piece))}`;

/** Only for trusted text that is already HTML, CSS or a script. */
export const trusted = (text: string): Html => ({ html: text });

function inserted(insert: Insert): string {
  if (insert === null) return "";
  if (typeof insert === "string") return escapeHtml(insert);
  if (typeof insert === "number") return String(insert);
  return isList(insert) ? insert.map(inserted).join("") : insert.html;
}

const isList = (insert: Html | readonly Insert[]): insert is readonly Insert[] => Array.isArray(insert);

/** The ampersand first: the others contain it. */
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** Beyond it, this takes half the time; and no regular expression reads the whole content of a campaign. */
const LONG = 1024;
const escapeHtml = (text: string): string =>
  text.length > LONG
    ? Object.entries(escapes).reduce((out, [found, escaped]) => out.replaceAll(found, escaped), text)
    : text.replace(/[&<>"']/g, (found) => escapes[found] ?? found);
