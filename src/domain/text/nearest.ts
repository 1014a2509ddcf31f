/** Finds the known word that is most similar to a misspelt one. */

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
