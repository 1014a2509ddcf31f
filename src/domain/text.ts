/** Names and words: their length, how they are compared, and the known word nearest to a misspelt one. */

// Length checks of input, made before any other processing: a value may be as long as the largest request,
// and the rules run in the thread that does all writes.

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

/**
 * Copies a text before it is stored: in V8 a slice keeps the whole original text in memory, such as a message
 * of some MiB or a long header.
 */
export const ownText = (text: string): string => Buffer.from(text).toString();

/** Names of accounts, lists, fields and campaigns: one rule for all. */
export const MAX_NAME_LENGTH = 100;
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]/u;

/** The normalized name, or null if it is invalid. */
export function parseName(given: string | null): string | null {
  const name = given?.trim() ?? "";
  return name === "" || !hasAtMost(MAX_NAME_LENGTH, name) || CONTROL.test(name) ? null : name;
}

/** Equal for names that differ only in case. */
export const nameKey = (name: string): string => name.normalize("NFC").toLowerCase();

/**
 * Edit distance: letters inserted, deleted, replaced or swapped with the next (Damerau-Levenshtein). Only
 * counted up to a limit, so that long words take no longer than needed; Infinity if it is more.
 */
function distance(from: string, to: string, limit: number): number {
  const letters = [...from];
  const others = [...to];
  let previous: readonly number[] = [];
  let row = Array.from({ length: others.length + 1 }, (_, index) => index);
  for (const [i, letter] of letters.entries()) {
    const next = Array.from({ length: others.length + 1 }, () => Infinity);
    next[0] = i + 1;
    for (let j = Math.max(0, i - limit); j <= Math.min(others.length - 1, i + limit); j += 1) {
      const other = others[j];
      const isExchanged = i > 0 && j > 0 && letter === others[j - 1] && letters[i - 1] === other;
      next[j + 1] = Math.min(
        (row[j] ?? 0) + (letter === other ? 0 : 1),
        (row[j + 1] ?? 0) + 1,
        (next[j] ?? 0) + 1,
        isExchanged ? (previous[j - 1] ?? 0) + 1 : Infinity,
      );
    }
    previous = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}

const MAX_DISTANCE = 3;
/** A short word would be similar to anything. */
const maxDistance = (word: string): number => Math.min(MAX_DISTANCE, Math.ceil(word.length / 3));

export function nearest(word: string, known: readonly string[]): string | null {
  const limit = maxDistance(word);
  const [best] = known
    .filter((candidate) => Math.abs(candidate.length - word.length) <= limit)
    .map((candidate) => ({ candidate, steps: distance(word, candidate, limit) }))
    .filter(({ steps }) => steps <= limit)
    .sort((a, b) => a.steps - b.steps);
  return best?.candidate ?? null;
}
