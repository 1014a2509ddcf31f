/** What a job has done so far, by kind; contains nothing about one person. */

type Value = string | number | boolean | null | readonly number[] | { readonly [name: string]: Value };
export type JobResult = Readonly<Record<string, Value>>;
