/**
 * Escapes text for XML 1.0. A parser turns a bare carriage return into a line feed, so it is written as a
 * reference.
 */

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\r": "&#xD;",
  "\n": "&#xA;",
  "\t": "&#x9;",
};
const escaped = (character: string): string => escapes[character] ?? character;

/** The escapes for text, in an order in which they can be applied one after the other. */
export const textEscapes = ["&", "<", ">", "\r"].map((one) => [one, escaped(one)] as const);

const SPECIAL = /[&<>\r]/;
export const escapeText = (text: string): string =>
  SPECIAL.test(text) ? text.replace(/[&<>\r]/g, escaped) : text;

export const escapeAttribute = (text: string): string => text.replace(/[&<>"\r\n\t]/g, escaped);
