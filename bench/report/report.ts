/** The results of a run, for the report writers. */
import type { Judged } from "../judge.ts";
import type { Options } from "../options.ts";
import type { Absent } from "../plan.ts";
import type { Results } from "../results.ts";

export interface Machine {
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly system: string;
  /** By the name of the program. */
  readonly versions: Readonly<Record<string, string>>;
}

export interface Report {
  readonly startedAt: Date;
  readonly minutes: number;
  readonly options: Options;
  readonly absent: readonly Absent[];
  readonly machine: Machine;
  readonly results: Results;
  readonly judged: readonly Judged[];
}

/** How the run was made, in a word. */
export const kindOf = ({ isQuick, isLarge }: Options): string =>
  isQuick ? "quick run" : isLarge ? "large run" : "usual run";

/** In a sentence, how many marks were met. */
export function summaryOf(judged: readonly Judged[]): string {
  const musts = judged.filter(({ must }) => must === "reached" || must === "missed");
  const reached = musts.filter(({ must }) => must === "reached");
  const aims = judged.filter(({ aim }) => aim === "reached" || aim === "missed");
  const open = judged.filter(
    ({ must, aim }) => must === "not measured" || (must === null && aim === "not measured"),
  );
  const missed = musts.filter(({ must }) => must === "missed").map(({ target }) => target.title);
  return [
    `${reached.length} of ${musts.length} required values reached, ${aims.filter(({ aim }) => aim === "reached").length} of ${aims.length} goals, ${open.length} not measured.`,
    ...(missed.length === 0 ? [] : [`Missed: ${missed.join("; ")}.`]),
  ].join(" ");
}
