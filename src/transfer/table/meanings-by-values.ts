/**
 * What a column with an unknown heading is, if nearly all of its first values say so. Only values that can
 * hardly be anything else decide: dates and numbers never do.
 */
import type { CsvRow } from "#csv/rows.ts";
import { readMailbox } from "../values/mailbox.ts";
import { isPendingState, parseState } from "../values/states.ts";
import { isYes } from "../values/yes-no.ts";
import { CONSENT, type Column, isSameData } from "./columns.ts";
import { isOfLanguages, mayBeAboutConsent, type StandardColumn } from "./known-headings.ts";
import { TableProblem } from "./problem.ts";
import { isCountry, isGender } from "./read-person.ts";

const tests: readonly (readonly [column: StandardColumn, fits: (text: string) => boolean])[] = [
  [{ kind: "email" }, (text) => text.includes("@") && typeof readMailbox(text) !== "string"],
  // Nobody has said that it is the state: active says nothing, because a date may say more.
  [
    { kind: "state", reads: (text) => (parseState(text) === "active" ? null : undefined) },
    (text) => parseState(text) !== null || isPendingState(text),
  ],
  [{ kind: "basic", name: "country" }, isCountry],
  [{ kind: "basic", name: "gender" }, isGender],
];
/** So many rows of a table decide, after the header. */
export const DECIDING_ROWS = 1000;
/** A table may have thousands of columns. */
const MAX_COLUMNS = 100;
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

/** A column that only asks for consent does not say everything about the state. */
const asksConsent = (column: Column): boolean => column.kind === "state" && column.isConsent === true;

/**
 * What the columns are that nothing else says it of (null), by index. Nothing is found twice: what is another
 * column already is no other one, and two that could be the same are neither.
 */
export function meaningsByValues(
  rows: readonly Pick<CsvRow, "cells">[],
  headings: readonly string[],
  columns: readonly (Column | null)[],
): ReadonlyMap<number, StandardColumn> {
  const isTaken = (column: StandardColumn): boolean =>
    columns.some((other) => other !== null && !asksConsent(other) && isSameData(other, column));
  const open = tests.filter(([column]) => !isTaken(column));
  const unknown = [...columns.keys()].filter(
    (index) => columns[index] === null && !isOfLanguages(headings[index] ?? ""),
  );
  const deciding = rows.slice(0, DECIDING_ROWS);
  const found = unknown.slice(0, MAX_COLUMNS).flatMap((index) => {
    const values = deciding.map(({ cells }) => cells[index]?.trim() ?? "").filter((value) => value !== "");
    if (values.length === 0) return [];
    const [column] = open.find(([, isOne]) => fits(values, isOne)) ?? [];
    return column === undefined ? [] : [[index, column] as const];
  });
  return new Map(found.filter(([, column]) => found.filter(([, other]) => other === column).length === 1));
}

/** A column that is left out. */
interface LeftOutColumn {
  readonly heading: string;
  readonly index: number;
  values: number;
  others: number;
  /** Values that are yes or no, and those of them that are no. */
  answers: number;
  noes: number;
  /** Its heading may ask who wants mail: no is a state in which nobody is mailed. */
  readonly mayAskConsent: boolean;
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
    this.#columns = [...header.entries()]
      .filter(([index]) => columns[index]?.kind === "ignored")
      .slice(0, MAX_COLUMNS)
      .map(([index, heading]) => ({
        ...{ heading, index, mayAskConsent: mayBeAboutConsent(heading) },
        ...{ values: 0, others: 0, answers: 0, noes: 0, rows: new Map<string, number>() },
      }));
  }
  look(cells: readonly string[]): void {
    for (const column of this.#columns) {
      const word = cells[column.index]?.trim() ?? "";
      if (word === "") continue;
      const answer = isYes(word);
      const consent = answer === null || !column.mayAskConsent ? null : answer ? "active" : "unsubscribed";
      const state = parseState(word) ?? consent;
      column.values += 1;
      if (answer !== null) column.answers += 1;
      if (answer === false) column.noes += 1;
      if (state === null && !isPendingState(word)) {
        column.others += 1;
        const isWanted = isOfStates(column) || column.answers === column.values;
        if (column.values >= DECIDING_ROWS && !isWanted)
          this.#columns = this.#columns.filter((other) => other !== column);
      } else if (state !== "active" && (column.rows.size < MAX_SPELLINGS || column.rows.has(word)))
        column.rows.set(word, (column.rows.get(word) ?? 0) + 1);
    }
  }
  notes(): readonly string[] {
    return this.#found().map(
      (column) =>
        `the column '${column.heading.trim()}' seems to say who must not be mailed, but is not imported: people with ${wordsOf(column)} become active, unless another column says otherwise; if they must not be mailed, map the column to '${column.mayAskConsent ? CONSENT : "state"}'`,
    );
  }
  /** Of those with these headings: columns with yes and no, which could mean that. */
  notesOfAnswers(headings: readonly string[]): readonly string[] {
    const named = this.#columns
      .filter(
        ({ heading, values, answers, noes }) => headings.includes(heading) && noes > 0 && answers === values,
      )
      .slice(0, MAX_WORDS)
      .map(({ heading }) => `'${heading.trim()}'`);
    if (named.length === 0) return [];
    return [
      `there is yes or no in ${named.join(", ")}: if such a column says who wants mail, map it to '${CONSENT}', where no means unsubscribed`,
    ];
  }
  /** Throws a TableProblem if nobody has said what becomes of one of these columns. */
  requireNone(headings: readonly string[]): void {
    const column = this.#found().find(({ heading }) => headings.includes(heading));
    if (column === undefined) return;
    throw new TableProblem({
      kind: "states left out",
      heading: column.heading.trim(),
      words: wordsOf(column),
    });
  }

  #found(): readonly LeftOutColumn[] {
    return this.#columns.filter((column) => isOfStates(column) && column.rows.size > 0);
  }
}
const wordsOf = ({ rows }: LeftOutColumn): string =>
  [...rows]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_WORDS)
    .map(([word, count]) => `'${word}' (${count} ${count === 1 ? "row" : "rows"})`)
    .join(", ");
const isOfStates = ({ values, others }: LeftOutColumn): boolean => others <= values * (1 - FITTING);
