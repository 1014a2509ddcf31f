/** What a job has done so far, by kind; contains nothing about one person. */

type Value =
  | string
  | number
  | boolean
  | null
  | readonly number[]
  | readonly string[]
  | { readonly [name: string]: Value };
export type JobResult = Readonly<Record<string, Value>>;

/** Of a nested one; nothing if it is something else. */
export const membersOf = (value: Value | undefined): JobResult =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JobResult) : {};

/** Rows that an import rejected, by reason, the most frequent one first: the order of members is none. */
export const reasonsOf = (reasons: Value | undefined): readonly (readonly [reason: string, rows: number])[] =>
  Object.entries(membersOf(reasons))
    .map(([reason, rows]) => [reason, Number(rows)] as const)
    .sort(([, one], [, other]) => other - one);

/** Values of an import that are not valid, by heading and reason, the most frequent ones first. */
export const leftOutOf = (leftOut: Value | undefined) =>
  Object.entries(membersOf(leftOut))
    .flatMap(([heading, reasons]) =>
      Object.entries(membersOf(reasons)).map(([reason, found]) => {
        const { values, lines } = membersOf(found);
        return {
          ...{ heading, reason, values: Number(values) },
          lines: Array.isArray(lines) ? (lines as readonly number[]) : [],
        };
      }),
    )
    .sort((one, other) => other.values - one.values);
