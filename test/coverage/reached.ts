/**
 * Which characters of a source file were executed in at least one process, from V8's coverage reports. A line
 * is unreached if it has code and none of it was executed.
 */

/** One report of V8, as far as it is read here: of each script the functions, of each function its ranges. */
export interface Report {
  readonly result: readonly ScriptCoverage[];
}
/** null for half a report: its process was killed while it wrote. */
export function parseReport(text: string): Report | null {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return null;
  }
}
export interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}
export interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Comments, and the last case of a switch that has all others. */
const NO_CODE = /^\s*(?:\/\/|\/?\*|default:$)|satisfies never;$/;

export class Reached {
  readonly #text: string;
  readonly #isReached: Uint8Array;

  constructor(text: string) {
    this.#text = text;
    this.#isReached = new Uint8Array(text.length);
  }

  /** Adds what one process executed. */
  add({ functions }: ScriptCoverage): void {
    const executed = new Uint8Array(this.#text.length);
    const ranges = functions.flatMap((each) => each.ranges);
    // A range within another one is more exact.
    const widestFirst = ranges.toSorted(
      (one, other) => other.endOffset - other.startOffset - (one.endOffset - one.startOffset),
    );
    for (const { startOffset, endOffset, count } of widestFirst)
      executed.fill(count > 0 ? 1 : 0, startOffset, endOffset);
    for (const [at, isExecuted] of executed.entries()) if (isExecuted === 1) this.#isReached[at] = 1;
  }

  /**
   * The numbers of the unreached lines, from 1. Lines of brackets and comments alone do not count, and
   * neither does what the compiler has shown to be unreachable.
   */
  unreached(): readonly number[] {
    let at = 0;
    return this.#text.split("\n").flatMap((line, index) => {
      const start = at;
      at += line.length + 1;
      const code = NO_CODE.test(line) ? "" : line.replace(/[\s{}()[\];,]/g, "");
      const isReached = this.#isReached.subarray(start, start + line.length).includes(1);
      return code === "" || isReached ? [] : [index + 1];
    });
  }
}

/** Such as "3, 7–9". */
export function asRanges(lines: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const line of lines) {
    const last = ranges.at(-1);
    if (last?.[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ");
}
