/** What commands print: JSON for scripts, tables for people. */
import type { Cell, Output, Row } from "./command.ts";
import { progressLine } from "./progress-line.ts";
import { displayWidth, escapeUnsafe, oneLine, padLeft, padRight, printable } from "./terminal-text.ts";

declare global {
  /** In the language since 2025; the compiler's library does not know it yet. */
  interface JSON {
    rawJSON(text: string): object;
  }
}

const LINE = "\n";

/** Times end in "At" and are printed as ISO text; ids of 64 bits with all their digits. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(
    value,
    (name, given: unknown) => {
      if (typeof given === "bigint") return JSON.rawJSON(given.toString());
      return isTime(name, given) ? new Date(given).toISOString() : given;
    },
    2,
  );
  return escapeUnsafe(json);
}
const isTime = (name: string, value: unknown): value is number =>
  typeof value === "number" && (name.endsWith("At") || name === "at" || name === "knownSince");

/** A moment as people read it; UTC, like everything else here. */
export const moment = (epochMs: number | null): string =>
  epochMs === null
    ? "-"
    : new Date(epochMs)
        .toISOString()
        .replace("T", " ")
        .replace(/\.\d+Z$/, "Z");

const shown = (name: string, value: Cell): string => {
  if (value === null || value === "") return "-";
  if (isTime(name, value)) return moment(value);
  return typeof value === "boolean" ? (value ? "yes" : "no") : oneLine(String(value));
};
const heading = (name: string): string =>
  name
    .replace(/At$/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toUpperCase();

export function toTable(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [
    names.map(heading),
    ...rows.map((row) => names.map((name) => shown(name, row[name] ?? null))),
  ];
  const columns = names.map((name, column) => ({
    width: Math.max(...lines.map((line) => displayWidth(line[column] ?? ""))),
    pad: rows.every((row) => isNumber(name, row[name])) ? padLeft : padRight,
  }));
  return lines
    .map((line) =>
      columns
        .map(({ width, pad }, column) => pad(line[column] ?? "", width))
        .join("  ")
        .trimEnd(),
    )
    .join(LINE);
}
const isNumber = (name: string, value: Cell | undefined): boolean =>
  typeof value === "bigint" || (typeof value === "number" && !isTime(name, value));

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** How wide the terminal is that `err` goes to; null where it goes elsewhere. */
  readonly errColumns?: () => number | null;
}

export function output({ out, err, errColumns = () => null }: Streams, asJson: boolean): Output {
  const print = (value: unknown, text: () => string): void =>
    out((asJson ? toJson(value) : printable(text())) + LINE);
  return {
    result: print,
    table: (rows, empty, show) =>
      print(rows, () => (rows.length === 0 ? empty : toTable(rows.map((row) => (show ?? same)(row))))),
    json: (value) => {
      if (asJson) out(toJson(value) + LINE);
    },
    note: (line) => err(oneLine(line) + LINE),
    progress: progressLine(err, errColumns),
  };
}
const same = <R>(row: R): Row => ({ ...row }) as Row;
