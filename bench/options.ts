/** Command-line options of `npm run bench`. */
import { parseArgs } from "node:util";

/** What can be measured alone. */
export const groups = ["probe", "wsdl", "add", "customs", "slow", "list", "latency", "growth"] as const;
export type Group = (typeof groups)[number];

export interface Options {
  readonly isQuick: boolean;
  readonly isLarge: boolean;
  /** Null: everything. */
  readonly only: ReadonlySet<Group> | null;
}

/** One line for a person: what was not understood. */
export class UsageError extends Error {}

export const usage = `npm run bench                        everything, three rounds, at most 20 minutes
npm run bench -- --quick             in 3 minutes: shorter, and without the larger sets of data
npm run bench -- --large             with 5 million members as well
npm run bench -- --only add,list     only these: ${groups.join(", ")}; writes no results`;

export function readOptions(args: readonly string[]): Options {
  let values: { quick?: boolean; large?: boolean; only?: string };
  try {
    const options = {
      quick: { type: "boolean" },
      large: { type: "boolean" },
      only: { type: "string" },
    } as const;
    ({ values } = parseArgs({ args: [...args], options }));
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { quick = false, large = false, only } = values;
  if (quick && large) throw new UsageError("--quick and --large contradict each other");
  return { isQuick: quick, isLarge: large, only: only === undefined ? null : readGroups(only) };
}

function readGroups(text: string): ReadonlySet<Group> {
  const named = text.split(",").map((name) => name.trim());
  const known = named.map((name) => groups.find((group) => group === name));
  const wrong = known.indexOf(undefined);
  if (wrong !== -1) throw new UsageError(`--only: "${named[wrong]}" is none of ${groups.join(", ")}`);
  return new Set(known.filter((group) => group !== undefined));
}
