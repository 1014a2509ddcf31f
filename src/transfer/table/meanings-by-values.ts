/**
 * What a column with an unknown heading is, if nearly all of its values say so. Only values that can hardly
 * be anything else decide: dates and numbers never do.
 */
import { readMailbox } from "../values/mailbox.ts";
import { isPendingState, parseState } from "../values/states.ts";
import type { Column } from "./columns.ts";
import type { StandardColumn } from "./known-headings.ts";
import { isCountry, isGender } from "./read-person.ts";

/** By the name of the column. */
const tests: readonly (readonly [name: string, column: StandardColumn, fits: (text: string) => boolean])[] = [
  ["email", { kind: "email" }, (text) => text.includes("@") && typeof readMailbox(text) !== "string"],
  ["state", { kind: "state" }, (text) => parseState(text) !== null || isPendingState(text)],
  ["country", { kind: "basic", name: "country" }, isCountry],
  ["gender", { kind: "basic", name: "gender" }, isGender],
];
/** A table may have thousands of columns. */
const MAX_COLUMNS = 100;
const MAX_VALUES = 1000;
const FITTING = 0.95;
/** Codes such as CA or M are also those of other things, so a few of them decide nothing. */
const CODE_LENGTH = 3;
const LEAST_CODES = 10;

function fits(values: readonly string[], isOne: (text: string) => boolean): boolean {
  const most = Math.floor(values.length * (1 - FITTING));
  let others = 0;
  for (const value of values) {
    if (/^\d+$/.test(value) || !isOne(value)) others += 1;
    if (others > most) return false;
  }
  const areCodes = values.every((value) => value.length <= CODE_LENGTH);
  return !areCodes || (values.length >= LEAST_CODES && new Set(values).size > 1);
}

/**
 * The names of the columns that `unknown` ones are, by index. `isTaken` says what another column is already;
 * two that could be the same are neither.
 */
export function meaningsByValues(
  rows: readonly { readonly cells: readonly string[] }[],
  unknown: readonly number[],
  isTaken: (column: StandardColumn) => boolean,
): ReadonlyMap<number, string> {
  const open = tests.filter(([, column]) => !isTaken(column));
  const found = unknown.slice(0, MAX_COLUMNS).flatMap((index) => {
    const values: string[] = [];
    for (const { cells } of rows) {
      const value = cells[index]?.trim() ?? "";
      if (value !== "") values.push(value);
      if (values.length === MAX_VALUES) break;
    }
    if (values.length === 0) return [];
    const [name] = open.find(([, , isOne]) => fits(values, isOne)) ?? [];
    return name === undefined ? [] : [[index, name] as const];
  });
  return new Map(found.filter(([, name]) => found.filter(([, other]) => other === name).length === 1));
}

/** A column that is left out. */
interface LeftOutColumn {
  readonly heading: string;
  readonly index: number;
  values: number;
  others: number;
  /** Rows by the word of a state in which nobody is mailed. */
  readonly rows: Map<string, number>;
}
const MAX_WORDS = 5;
/** A word can be written with any number of spaces. */
const MAX_SPELLINGS = 100;

/** Columns that are left out although their values say that people must not be mailed. */
export class StatesLeftOut {
  #columns: readonly LeftOutColumn[];

  constructor(header: readonly string[], columns: readonly Column[]) {
    this.#columns = header
      .flatMap((heading, index) =>
        columns[index]?.kind === "ignored"
          ? [{ heading, index, values: 0, others: 0, rows: new Map<string, number>() }]
          : [],
      )
      .slice(0, MAX_COLUMNS);
  }
  look(cells: readonly string[]): void {
    for (const column of this.#columns) {
      const word = cells[column.index]?.trim() ?? "";
      if (word === "") continue;
      const state = parseState(word);
      column.values += 1;
      if (state === null && !isPendingState(word)) {
        column.others += 1;
        if (column.values >= MAX_VALUES && !isOfStates(column))
          this.#columns = this.#columns.filter((other) => other !== column);
      } else if (state !== "active" && (column.rows.size < MAX_SPELLINGS || column.rows.has(word)))
        column.rows.set(word, (column.rows.get(word) ?? 0) + 1);
    }
  }
  notes(): readonly string[] {
    return this.#columns
      .filter((column) => isOfStates(column) && column.rows.size > 0)
      .map(({ heading, rows }) => {
        const words = [...rows].toSorted(([, one], [, other]) => other - one).slice(0, MAX_WORDS);
        const counts = words.map(([word, count]) => `'${word}' (${count} ${count === 1 ? "row" : "rows"})`);
        return `the column '${heading.trim()}' seems to contain states, but is not imported: people with ${counts.join(", ")} become active, unless another column says otherwise; if they must not be mailed, map the column to 'state'`;
      });
  }
}
const isOfStates = ({ values, others }: LeftOutColumn): boolean => others <= values * (1 - FITTING);
