/** The known word that a misspelt one was probably meant to be. */

/** How many letters must be put in, taken out or changed to get from one word to the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries())
      next.push(
        Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

const MAX_DISTANCE = 3;

export function nearest(word: string, known: readonly string[], maxDistance = MAX_DISTANCE): string | null {
  const [best] = known
    .map((candidate) => ({ candidate, steps: distance(word, candidate) }))
    .filter(({ steps }) => steps <= Math.min(maxDistance, MAX_DISTANCE))
    .sort((a, b) => a.steps - b.steps);
  return best?.candidate ?? null;
}
