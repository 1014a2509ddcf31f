/** At most 50 of each, so they need no separators. */
interface Counts {
  readonly done: number;
  readonly refused: number;
  readonly skipped: number;
}

export const select = (call: string): string => `Select ${call}`;
export const replaySelected = "Replay selected";
export const dismissSelected = "Dismiss selected";
export const nothingSelected = "Select at least one call in the table.";
export const tooMany = (most: string): string =>
  `Select at most ${most} calls. For more, use "Replay all" or "Dismiss all".`;

const calls = (count: number): string => (count === 1 ? "1 call" : `${count} calls`);
const were = (count: number): string => (count === 1 ? "was" : "were");
const sentences = (all: readonly (readonly [count: number, text: string])[]): string =>
  all
    .filter(([count]) => count > 0)
    .map(([, text]) => `${text}.`)
    .join(" ");

export const replayed = ({ done, refused, skipped }: Counts): string =>
  sentences([
    [done, `${calls(done)} succeeded and ${were(done)} removed from the refused calls`],
    [
      refused,
      `${calls(refused)} ${were(refused)} refused again: correct ${refused === 1 ? "it" : "them"} one by one`,
    ],
    [skipped, `${calls(skipped)} could not be replayed: open ${skipped === 1 ? "it" : "them"} to see why`],
  ]);
export const dismissed = ({ done, skipped }: Counts): string =>
  sentences([
    [done, `${calls(done)} ${were(done)} dismissed`],
    [skipped, `${calls(skipped)} ${were(skipped)} already gone`],
  ]);
