/** Text for terminals: removes control characters from stored data, and measures the display width. */

/** Control characters, line separators, and marks that change the text direction. */
const UNSAFE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** For one value: removes line breaks too, so that data cannot imitate a line of output. */
export const oneLine = (text: string): string => text.replace(UNSAFE, " ");
/** For a whole text: keeps line breaks and tabs. */
export const printable = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(UNSAFE, (character) => (character === "\n" || character === "\t" ? character : " "));
/** For JSON, where an escape keeps the value; keeps line breaks between members. */
export const escapeUnsafe = (json: string): string =>
  json.replace(UNSAFE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const ASCII = /^[ -~]*$/;
const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]|.\ufe0f)/u;
/** Made on first use: most commands print ASCII only, and it costs a tenth of their start. */
let segmenter: Intl.Segmenter | null = null;
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

const gap = (text: string, width: number): string => " ".repeat(Math.max(0, width - displayWidth(text)));
export const padLeft = (text: string, width: number): string => gap(text, width) + text;
export const padRight = (text: string, width: number): string => text + gap(text, width);

export function shorten(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}

/** Quotes one word for a shell: addresses may contain ` and $, and users copy the printed commands. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
