/** What every measurement of a run works with. */
import type { Databases } from "./data/databases.ts";
import type { PostgresDatabases } from "./data/postgres.ts";
import type { Workplace } from "./workplace.ts";

/** In whole seconds: the load generator takes no others. */
export interface Timing {
  readonly measure: number;
  readonly firstWarmUp: number;
  /** A server that has been warm once is so again soon. */
  readonly laterWarmUp: number;
}

export interface Bench {
  readonly place: Workplace;
  readonly databases: Databases;
  readonly postgres: PostgresDatabases;
  readonly timing: Timing;
}

export const ROUNDS = 3;
export const usualTiming: Timing = { measure: 4, firstWarmUp: 2, laterWarmUp: 1 };
export const quickTiming: Timing = { measure: 1, firstWarmUp: 1, laterWarmUp: 0 };

export const warmUpOf = ({ firstWarmUp, laterWarmUp }: Timing, round: number): number =>
  round === 0 ? firstWarmUp : laterWarmUp;
