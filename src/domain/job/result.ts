/** What a job has done so far, by kind; contains nothing about one person. */

type Value = string | number | boolean | null | readonly number[] | { readonly [name: string]: Value };
export type JobResult = Readonly<Record<string, Value>>;

/** Of a nested one; nothing if it is something else. */
export const membersOf = (value: Value | undefined): JobResult =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JobResult) : {};
