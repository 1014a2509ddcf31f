/** The options that every import has, and what they mean. */
import type { GivenOrder } from "#transfer/table/given-dates.ts";
import type { Mapped } from "#transfer/table/header.ts";
import { dateOrders } from "#transfer/values/time.ts";
import { parseChoice } from "../../kit/arguments/arguments.ts";
import { type Option, UsageError } from "../../kit/command.ts";

export const tableOptions: Readonly<Record<string, Option>> = {
  "dry-run": { doc: "Report what the import would do; change nothing and write no file." },
  dates: {
    value: dateOrders.join("|"),
    repeated: true,
    doc: "Whether 3/4/2026 is 3 April (dmy) or March 4 (mdy); 'HEADING=dmy' for one column (default: detected from dates such as 25/12/2026).",
  },
  separator: { value: "CHAR", doc: "The column separator, such as ';' or 'tab' (default: detected)." },
  encoding: { value: "NAME", doc: "The character encoding, such as windows-1252 (default: detected)." },
  rejected: {
    value: "FILE",
    doc: "The file for rejected rows; it is replaced if it exists (default: a new file beside FILE, such as members.rejected.csv for members.csv).",
  },
  "rejected-unchanged": {
    doc: "Write rejected rows as they are; otherwise cells that begin with =, +, - or @ get a ' in front, so that spreadsheets do not treat them as formulas (an import of the file removes it).",
  },
};

export function parseSeparator(text: string | undefined): string | null {
  if (text === undefined) return null;
  const separator = /^(?:tab|\\t)$/i.test(text) ? "\t" : text;
  if ([...separator].length !== 1 || /["\r\n]/.test(separator))
    throw new UsageError(`--separator takes one character, or 'tab'; '${text}' is neither`);
  return separator;
}

export const parseDates = (given: readonly string[]): readonly GivenOrder[] =>
  given.map((text) => {
    const at = text.lastIndexOf("=");
    const order = parseChoice(text.slice(at + 1), "--dates", dateOrders);
    return { heading: at < 0 ? null : text.slice(0, at).trim(), order };
  });

export const parseMap = (given: readonly string[]): readonly Mapped[] =>
  given.map((pair) => {
    const at = pair.lastIndexOf("=");
    if (at < 1) throw new UsageError(`--map takes HEADING=COLUMN; '${pair}' is not of that form`);
    return { heading: pair.slice(0, at), column: pair.slice(at + 1) };
  });
