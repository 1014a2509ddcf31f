/** What every measurement of a run works with. */
import type { Databases } from "./data/databases.ts";
import type { PostgresDatabases } from "./data/postgres.ts";
import type { RunFolder } from "./run-folder.ts";

/** In whole seconds: the load generator takes no others. */
export interface Timing {
  readonly measure: number;
  /** Before anything else is asked of a server, */
  readonly freshWarmUp: number;
  /** before a figure is measured for the first time, */
  readonly firstWarmUp: number;
  /** and before it is measured again. */
  readonly laterWarmUp: number;
}

export interface Bench {
  readonly folder: RunFolder;
  readonly databases: Databases;
  readonly postgres: PostgresDatabases;
  readonly timing: Timing;
}

export const ROUNDS = 3;
export const usualTiming: Timing = { measure: 3, freshWarmUp: 4, firstWarmUp: 2, laterWarmUp: 1 };
export const quickTiming: Timing = { measure: 1, freshWarmUp: 2, firstWarmUp: 1, laterWarmUp: 0 };
