/**
 * Text of a caller for the log – a path, a namespace, a User-Agent – as far as it consists of short plain
 * words. An e-mail address, a key or other text that somebody put into it is logged as "?".
 */
const MAX_LOGGED = 100;
const PLAIN_WORD = /^[\w~-]{1,24}$/;
/** What stands between two parts; an e-mail address has none of these. */
const PART = /[^\s/:;,()]+/g;
const LAST_PART = /[^\s/:;,()]+$/;
const HAS_AT = /@|%40/;

export function plainWords(text: string): string {
  // Of a part that is cut off, nobody knows what it was.
  const shown = text.length > MAX_LOGGED ? text.slice(0, MAX_LOGGED).replace(LAST_PART, "?") : text;
  return shown
    .replaceAll(PART, (part) =>
      HAS_AT.test(part) ? "?" : part.replaceAll(/[^.]+/g, (word) => (PLAIN_WORD.test(word) ? word : "?")),
    )
    .replaceAll(/[^ -~]/g, "?");
}
