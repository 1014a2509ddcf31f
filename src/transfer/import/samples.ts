/**
 * Some lines of the file for each outcome of an import. A line number says nothing about a person once the
 * file is deleted, so it may be stored where the counts are.
 */
import type { CountedAs } from "#domain/import/batch.ts";

const MOST = 5;

export type SampleLines = Readonly<Partial<Record<CountedAs, readonly number[]>>>;

export class Samples {
  readonly #lines = new Map<CountedAs, number[]>();

  add(counted: CountedAs, line: number): void {
    const lines = this.#lines.get(counted);
    if (lines === undefined) this.#lines.set(counted, [line]);
    else if (lines.length < MOST) lines.push(line);
  }

  get lines(): SampleLines {
    return Object.fromEntries(this.#lines);
  }
}
