/**
 * Length checks of input, made before any other processing: a value may be as long as the largest request,
 * and the rules run in the thread that does all writes.
 */

/**
 * Whether a text has at most so many characters. A text that is certainly longer is not split to be counted.
 */
export const hasAtMost = (characters: number, text: string): boolean =>
  text.length <= characters || (text.length <= 2 * characters && [...text].length <= characters);

/** Longer than every word or code that is compared ignoring case. */
const LONGEST_WORD = 16;

/**
 * Trims a text that is compared with words; empty if it is too long to be one.
 */
export function wordOf(text: string): string {
  const word = text.trim();
  return word.length <= LONGEST_WORD ? word : "";
}
