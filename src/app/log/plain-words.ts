/**
 * Text of a caller for the log – a path, a namespace, a User-Agent – as far as it consists of short plain
 * words. Anything else in it, such as an e-mail address or a key, is logged as "?".
 */
const MAX_LOGGED = 100;
const PLAIN_WORD = /^[\w~-]{1,24}$/;
/** What stands between two parts; an e-mail address has none of these. */
const PART = /[^\s/:;,()]+/g;
const LAST_PART = /[^\s/:;,()]+$/;
const HAS_AT = /@|%40/;

export function plainWords(text: string): string {
  // A part that is cut off may be the beginning of anything.
  const shown = text.length > MAX_LOGGED ? text.slice(0, MAX_LOGGED).replace(LAST_PART, "?") : text;
  return shown
    .replaceAll(PART, (part) =>
      HAS_AT.test(part) ? "?" : part.replaceAll(/[^.]+/g, (word) => (PLAIN_WORD.test(word) ? word : "?")),
    )
    .replaceAll(/[^ -~]/g, "?");
}
