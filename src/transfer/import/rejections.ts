/**
 * The rows that an import rejected: counted by reason, and written to a table. And the values that it left
 * out of other rows.
 */
import type { CountedAs } from "#domain/import/batch.ts";
import type { RejectedRows } from "../table/source.ts";

/**
 * Some lines of the file for each outcome of an import. A line number says nothing about a person once the
 * file is deleted, so it may be stored where the counts are.
 */
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

/** Reasons are counted without values, so that there are few; a hostile file could still cause many. */
const MAX_REASONS = 50;
const OTHER = "other reasons";
/** How many rejected rows are kept to be shown. */
const MAX_FIRST = 10;

/** Where rejected rows are written: line, reason, and the row unchanged. */
export interface RejectedTable {
  /** The first row of the imported table, and its separator; set before the first row is added. */
  header: readonly string[];
  separator: string;
  add(line: number, reason: string, cells: readonly string[]): void;
}
/** Values of a column that are not valid: the row was imported without them. */
export interface LeftOut {
  readonly heading: string;
  /** Without the value. */
  readonly reason: string;
  readonly values: number;
  /** The first ones. */
  readonly lines: readonly number[];
}
const OTHER_COLUMNS = "other columns";
/** What was counted before an interruption. */
export interface Before {
  readonly reasons: readonly (readonly [reason: string, rows: number])[];
  readonly leftOut: readonly LeftOut[];
}

/** A row to which a reason applies. The value is in quotes; null: the reason has none. */
export interface Example {
  readonly line: number;
  readonly value: string | null;
}
/** A reason without its value, by which rows are counted. */
export function splitReason(reason: string): { readonly bare: string; readonly value: string | null } {
  const [value = null] = /'.*'/s.exec(reason) ?? [];
  return { bare: value === null ? reason : reason.replace(value, () => "…"), value };
}

interface RejectedRow {
  readonly line: number;
  readonly reason: string;
}

export class Rejections implements RejectedRows {
  /** null: the rows are only counted. */
  readonly table: RejectedTable | null;
  readonly first: RejectedRow[] = [];
  readonly #reasons: Map<string, number>;
  readonly #leftOut: Map<string, LeftOut>;
  /** They have data of people, and are not saved. */
  readonly #examples = new Map<string, Example>();
  count: number;

  constructor(table: RejectedTable | null, { reasons, leftOut }: Before = { reasons: [], leftOut: [] }) {
    this.table = table;
    this.#reasons = new Map(reasons);
    this.#leftOut = new Map(leftOut.map((one) => [keyOf(one), one]));
    this.count = reasons.reduce((sum, [, rows]) => sum + rows, 0);
  }

  add({ line, cells }: { readonly line: number; readonly cells: readonly string[] }, reason: string): void {
    this.count += 1;
    const { bare, value } = splitReason(reason);
    const kind = this.#reasons.has(bare) || this.#reasons.size < MAX_REASONS ? bare : OTHER;
    this.#reasons.set(kind, (this.#reasons.get(kind) ?? 0) + 1);
    this.#noteExample({ reason: kind }, { line, value });
    if (this.first.length < MAX_FIRST) this.first.push({ line, reason });
    this.table?.add(line, reason, cells);
  }

  leaveOut(line: number, heading: string, reason: string): void {
    const { bare, value } = splitReason(reason);
    const wanted = { heading, reason: bare };
    const isFull = this.#leftOut.size >= MAX_REASONS && !this.#leftOut.has(keyOf(wanted));
    const kept = isFull ? { heading: OTHER_COLUMNS, reason: OTHER } : wanted;
    const { values = 0, lines = [] } = this.#leftOut.get(keyOf(kept)) ?? {};
    this.#leftOut.set(keyOf(kept), {
      ...kept,
      values: values + 1,
      lines: lines.length < MOST ? [...lines, line] : lines,
    });
    this.#noteExample(kept, { line, value });
  }

  #noteExample(of: Kind, example: Example): void {
    if (!this.#examples.has(keyOf(of))) this.#examples.set(keyOf(of), example);
  }
  /** The first row, or the first value of a column, that was counted since the last interruption. */
  exampleOf(of: Kind): Example | null {
    return this.#examples.get(keyOf(of)) ?? null;
  }
  /** The most frequent first. */
  get leftOut(): readonly LeftOut[] {
    return [...this.#leftOut.values()].sort((one, other) => other.values - one.values);
  }

  /** The most frequent first. */
  get reasons(): readonly (readonly [reason: string, rows: number])[] {
    return [...this.#reasons].sort(([, a], [, b]) => b - a);
  }
}

/** What is counted together; rejected rows have no heading. */
type Kind = Pick<LeftOut, "reason"> & Partial<Pick<LeftOut, "heading">>;
const keyOf = ({ heading = "", reason }: Kind): string => `${heading}\n${reason}`;
