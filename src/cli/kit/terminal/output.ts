/** The output of commands: JSON for scripts, tables for users. */

import { asTyped } from "#shipped.ts";
import type { Cell, Output, Row } from "../command.ts";
import type { Explained } from "../errors.ts";
import {
  displayWidth,
  escapeUnsafe,
  formatNumber,
  oneLine,
  padLeft,
  padRight,
  printable,
  shorten,
} from "./text.ts";

/** Shows progress: on a terminal a line that replaces itself, elsewhere a new line every ten seconds. */
const REPLACED_AFTER_MS = 100;
const REPEATED_AFTER_MS = 10_000;
const ERASE_TO_END = "\u001b[K";

/** `columns` is null without a terminal. A line of null removes the last one. */
export function progressLine(
  write: (text: string) => void,
  columns: () => number | null,
  now: () => number = () => performance.now(),
): (line: string | null) => void {
  let saidAt = now();
  let isShown = false;
  return (line) => {
    const width = columns();
    if (line === null) {
      if (isShown) write(`\r${ERASE_TO_END}`);
      isShown = false;
      return;
    }
    if (now() - saidAt < (width === null ? REPEATED_AFTER_MS : REPLACED_AFTER_MS)) return;
    saidAt = now();
    isShown = width !== null;
    write(width === null ? `${oneLine(line)}\n` : `\r${shorten(oneLine(line), width - 1)}${ERASE_TO_END}`);
  };
}

declare global {
  /** Part of JavaScript since 2025; the compiler's library does not declare it yet. */
  interface JSON {
    rawJSON(text: string): object;
  }
}

const LINE = "\n";

/** Times have names ending in "At" and are printed as ISO text; 64-bit ids keep all their digits. */
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
  typeof value === "number" && (name.endsWith("At") || name === "at");

/** A time for display, in UTC. */
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
  if (isNumber(name, value) && !isId(name)) return formatNumber(value);
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
    // Not as arguments of Math.max: there may be more lines than a call can have arguments.
    width: lines.reduce((most, line) => Math.max(most, displayWidth(line[column] ?? "")), 0),
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
const isNumber = (name: string, value: Cell | undefined): value is number | bigint =>
  typeof value === "bigint" || (typeof value === "number" && !isTime(name, value));
/** Ids are not grouped: users copy them into commands. */
const isId = (name: string): boolean => name === "id" || name.endsWith("Id");

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Width of the terminal that `err` is; null if it is not a terminal. */
  readonly errColumns?: () => number | null;
}

/** A heading and a text of several lines, as notes. */
export function noteLines({ note }: Pick<Output, "note">, heading: string, text: string): void {
  for (const line of [heading, ...text.split("\n")]) note(line);
}

/** Maximum number of notes in a document; a file may have any number of bad lines. */
const MAX_NOTES = 100;

interface Printer extends Output {
  /** Prints the end of the output. With --json that is all of it: one document on standard output. */
  readonly finish: (error: Pick<Explained, "code" | "message"> | null) => void;
}

export const output = (streams: Streams, asJson: boolean): Printer =>
  asJson ? jsonPrinter(streams) : textPrinter(streams);

function textPrinter({ out, err, errColumns = () => null }: Streams): Printer {
  const print = (text: string): void => out(printable(text) + LINE);
  return {
    result: (_value, text) => print(text()),
    table: (rows, empty, show) =>
      print(rows.length === 0 ? asTyped(empty) : toTable(rows.map((row) => (show ?? same)(row)))),
    json: () => {},
    note: (line) => err(oneLine(line) + LINE),
    progress: progressLine(err, errColumns),
    finish: (error) => {
      if (error !== null) err(`mailroll: ${oneLine(error.message)}${LINE}`);
    },
  };
}
const same = <R>(row: R): Row => ({ ...row }) as Row;

function jsonPrinter({ out }: Streams): Printer {
  let document: object | null = null;
  const notes: string[] = [];
  let omitted = 0;
  const keep = (value: object): void => {
    document = value;
  };
  return {
    result: keep,
    table: (rows, _empty, _show, documentOf = same) => keep(rows.map((row) => documentOf(row))),
    json: keep,
    note: (line) => {
      if (notes.length < MAX_NOTES) notes.push(line);
      else omitted += 1;
    },
    progress: () => {},
    finish: (error) => {
      if (omitted > 0) notes.push(`${formatNumber(omitted)} more`);
      const isList = Array.isArray(document);
      if (error === null && (isList || document === null)) {
        if (isList) out(toJson(document) + LINE);
        return;
      }
      const members = isList ? {} : document;
      const { code, message } = error ?? {};
      out(
        toJson({
          ...members,
          ...(notes.length === 0 ? {} : { notes }),
          ...(error === null ? {} : { error: { code, message } }),
        }) + LINE,
      );
    },
  };
}
