/** Judges targets by what was measured. */
import { ROUNDS } from "./bench.ts";
import type { Results } from "./results.ts";
import { spread } from "./statistics.ts";
import { NotMeasured, type Round, type Target } from "./targets.ts";

export type Verdict = "reached" | "missed" | "not measured";

export interface Judged {
  readonly target: Target;
  /** The worst of the rounds; null where it was not measured. */
  readonly worst: number | null;
  readonly rounds: readonly number[];
  readonly spread: number | null;
  /** Null where there is no such mark. */
  readonly must: Verdict | null;
  readonly aim: Verdict | null;
}

function verdict({ is }: Target, mark: number | null, worst: number | null): Verdict | null {
  if (mark === null) return null;
  if (worst === null) return "not measured";
  return (is === "at least" ? worst >= mark : worst <= mark) ? "reached" : "missed";
}

function valuesOf(target: Target, results: Results): readonly number[] {
  const values: number[] = [];
  for (let i = 0; i < ROUNDS; i += 1) {
    const round: Round = (figure, subject) => {
      const sample = results.samples(figure, subject)[i];
      if (sample === undefined) throw new NotMeasured();
      return sample;
    };
    try {
      values.push(target.value(round));
    } catch (error) {
      if (!(error instanceof NotMeasured)) throw error;
      return [];
    }
  }
  return values;
}

export function judge(target: Target, results: Results): Judged {
  const rounds = valuesOf(target, results);
  const worst =
    rounds.length === 0 ? null : target.is === "at least" ? Math.min(...rounds) : Math.max(...rounds);
  return {
    target,
    worst,
    rounds,
    spread: rounds.length === 0 ? null : spread(rounds),
    must: verdict(target, target.must, worst),
    aim: verdict(target, target.aim, worst),
  };
}
