/**
 * The text of headers: encoded words (RFC 2047), display names, addresses and folding. Whatever a value
 * contains, the result has no line break but its own folds: a value cannot add a header.
 */
import { domainToASCII } from "node:url";

const MAX_NAME_CHARACTERS = 100;
/** Bytes of UTF-8 in an encoded word: 64 characters in all, so that it fits beside the name of a header. */
const WORD_BYTES = 39;
const FOLD_AT = 76;
/** A longer word of ASCII is encoded, because it cannot be folded. */
const LONGEST_WORD = 70;

/**
 * Control characters, line separators and the characters that change the direction of writing; a name needs
 * none of them.
 */
const UNWANTED = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

/** One line without control characters. */
const singleLine = (text: string): string =>
  text.toWellFormed().replaceAll(UNWANTED, " ").replaceAll(/ {2,}/g, " ").trim();

const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) && !text.includes("=?");
const hasLongWord = (text: string): boolean =>
  text.length > LONGEST_WORD && text.split(" ").some(({ length }) => length > LONGEST_WORD);

/** Encoded words, each of whole characters, to be joined by folds. */
function encodedWords(text: string): readonly string[] {
  const words: string[] = [];
  let chunk = "";
  let bytes = 0;
  const flush = (): void => {
    if (chunk !== "") words.push(`=?UTF-8?B?${Buffer.from(chunk).toString("base64")}?=`);
    chunk = "";
    bytes = 0;
  };
  for (const character of text) {
    const needed = Buffer.byteLength(character);
    if (bytes + needed > WORD_BYTES) flush();
    chunk += character;
    bytes += needed;
  }
  flush();
  return words;
}

/** A header in lines of at most 76 characters, where its words allow it. */
export function header(name: string, words: readonly string[]): string {
  let text = `${name}:`;
  let column = text.length;
  for (const [index, word] of words.entries()) {
    if (index > 0 && column + 1 + word.length > FOLD_AT) {
      text += `\r\n ${word}`;
      column = 1 + word.length;
    } else {
      text += ` ${word}`;
      column += 1 + word.length;
    }
  }
  return `${text}\r\n`;
}

/** Unstructured text, such as a subject. */
export function textWords(given: string): readonly string[] {
  const text = singleLine(given);
  return isPlain(text) && !hasLongWord(text) ? text.split(" ") : encodedWords(text);
}

/** A display name; empty: none. */
function nameWords(given: string): readonly string[] {
  const characters = [...singleLine(given)];
  const isLong = characters.length > MAX_NAME_CHARACTERS;
  const name = isLong ? `${characters.slice(0, MAX_NAME_CHARACTERS - 1).join("")}…` : characters.join("");
  if (name === "") return [];
  if (!isPlain(name) || hasLongWord(name)) return encodedWords(name);
  if (/^[\w!#$%&'*+\-/=?^`{|}~ ]+$/.test(name)) return name.split(" ");
  return `"${name.replaceAll(/["\\]/g, "\\$&")}"`.split(" ");
}

/** The domain in Punycode; null: it has no local part or no domain, or contains what no address may. */
export function asciiDomainAddress(address: string): string | null {
  const at = address.lastIndexOf("@");
  const domain = domainToASCII(address.slice(at + 1));
  const local = address.slice(0, Math.max(at, 0));
  if (local === "" || domain === "" || /[\s<>,;:\\"()[\]@\p{Cc}]/u.test(local)) return null;
  return `${local}@${domain}`;
}

export const mailboxWords = (name: string, address: string): readonly string[] => [
  ...nameWords(name),
  `<${address}>`,
];
