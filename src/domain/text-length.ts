/**
 * Lengths of what callers send, checked before anything else is done to it: a value may be as long as the
 * largest request, and the rules run in the thread that writes for everybody.
 */

/**
 * Whether a text has at most so many characters. One of more than two UTF-16 units each is never spread to be
 * counted.
 */
export const hasAtMost = (characters: number, text: string): boolean =>
  text.length <= characters || (text.length <= 2 * characters && [...text].length <= characters);

/** Longer than every word, letter or code that is compared ignoring case. */
const LONGEST_WORD = 16;

/**
 * A text to be compared with words, without the white space around it; empty where it is too long to be one.
 */
export function wordOf(text: string): string {
  const word = text.trim();
  return word.length <= LONGEST_WORD ? word : "";
}
