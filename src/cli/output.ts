/** What commands print: JSON for scripts, tables for people. */
import type { Cell, Output } from "./command.ts";

declare global {
  /** In the language since 2025; the compiler's library does not know it yet. */
  interface JSON {
    rawJSON(text: string): object;
  }
}

const LINE = "\n";

/** Times end in "At" and are printed as ISO text; ids of 64 bits with all their digits. */
export function toJson(value: unknown): string {
  return JSON.stringify(
    value,
    (name, given: unknown) => {
      if (typeof given === "bigint") return JSON.rawJSON(given.toString());
      return isTime(name, given) ? new Date(given).toISOString() : given;
    },
    2,
  );
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
  return typeof value === "boolean" ? (value ? "yes" : "no") : String(value).replace(/\p{Cc}/gu, " ");
};
const heading = (name: string): string =>
  name
    .replace(/At$/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toUpperCase();

export function toTable(rows: readonly Readonly<Record<string, Cell>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = [
    names.map(heading),
    ...rows.map((row) => names.map((name) => shown(name, row[name] ?? null))),
  ];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const isNumber = names.map((name) =>
    rows.every((row) => typeof row[name] === "number" && !isTime(name, row[name])),
  );
  return lines
    .map((line) =>
      line
        .map((cell, column) =>
          isNumber[column] === true ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join("  ")
        .trimEnd(),
    )
    .join(LINE);
}

export function output(write: (text: string) => void, asJson: boolean): Output {
  return {
    result: (value, text) => write((asJson ? toJson(value) : text()) + LINE),
    table: (rows, empty) => write((asJson ? toJson(rows) : rows.length === 0 ? empty : toTable(rows)) + LINE),
  };
}
