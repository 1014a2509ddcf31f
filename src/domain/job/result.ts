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

/** Values of an import that are not valid, by heading and reason. */
export const leftOutOf = (leftOut: Value | undefined) =>
  Object.entries(membersOf(leftOut)).flatMap(([heading, reasons]) =>
    Object.entries(membersOf(reasons)).map(([reason, found]) => {
      const { values, lines } = membersOf(found);
      return {
        ...{ heading, reason, values: Number(values) },
        lines: Array.isArray(lines) ? (lines as readonly number[]) : [],
      };
    }),
  );
