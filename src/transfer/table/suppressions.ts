/** Reads the rows of a suppression file, with or without a header. */
import { parseAddress } from "#domain/address.ts";
import { parsePattern, patternProblem } from "#domain/block.ts";
import type { SuppressionKind } from "#domain/subscriber/subscriber.ts";
import { bareAddress } from "../values/mailbox.ts";
import { parseSuppression, suppressionNames } from "../values/states.ts";
import { type DateOrder, isSet } from "../values/time.ts";
import { bareName, namesOf } from "./known-headings.ts";
import { TableProblem } from "./problem.ts";
import { quoted, readMoment } from "./read-person.ts";
import type { Entry } from "./source.ts";

type SuppressedRow = Pick<Entry, "person" | "block">;
interface Reader {
  readonly isHeader: boolean;
  /** The index of the date column; null if there is none. */
  readonly dateColumn: number | null;
  readonly read: (cells: readonly string[], order: DateOrder | null) => SuppressedRow | string;
}

const headings = {
  who: [...namesOf("email"), ...["address", "pattern", "domain", "subscriber"]],
  kind: [...namesOf("state"), ...["kind", "type", "reason"]],
  date: [
    ...namesOf("suppression"),
    ...["date", "at", "time", "created_at", "datum", "fecha", "data"].map(bareName),
  ],
} as const;
type SuppressionColumn = keyof typeof headings;
const indexOf = (cells: readonly string[], wanted: SuppressionColumn): number =>
  cells.findIndex((cell) => headings[wanted].includes(bareName(cell)));

/** Where the columns are, by the first row; -1: nowhere. Without a header, addresses are in the first one. */
export function suppressionColumns(
  first: readonly string[],
): Readonly<Record<SuppressionColumn, number>> & { readonly isHeader: boolean } {
  const who = indexOf(first, "who");
  return who < 0
    ? { isHeader: false, who: 0, kind: -1, date: -1 }
    : { isHeader: true, who, kind: indexOf(first, "kind"), date: indexOf(first, "date") };
}

/** Given the first row; `general` is the kind of rows that name none. Other columns are ignored. */
export function suppressionReader(
  general: SuppressionKind | null,
  now: number,
): (first: readonly string[]) => Reader {
  return (first) => {
    const { isHeader, who, kind, date } = suppressionColumns(first);
    if (!isHeader && !(first[0] ?? "").includes("@"))
      throw new TableProblem({ kind: "no suppressions", first: first[0] ?? "" });
    if (kind < 0 && general === null) throw new TableProblem({ kind: "no kind" });
    const cell = (cells: readonly string[], index: number): string => cells[index]?.trim() ?? "";
    return {
      isHeader,
      dateColumn: date < 0 ? null : date,
      read: (cells, order) => {
        const word = cell(cells, kind);
        const suppression = word === "" ? general : parseSuppression(word);
        if (suppression === null)
          return `${word === "" ? "the kind is missing" : `${quoted(word)} is not a kind`}; use one of: ${suppressionNames}`;
        const when = cell(cells, date);
        const at = when === "" || !isSet(when) ? null : readMoment(when, now, order);
        return typeof at === "string" ? at : toSuppressedRow(cell(cells, who), suppression, at);
      },
    };
  };
}

function toSuppressedRow(
  who: string,
  suppression: SuppressionKind,
  at: number | null,
): SuppressedRow | string {
  const bare = bareAddress(who);
  const pattern = parsePattern(bare);
  if (pattern === null)
    return `${quoted(who)} is neither an e-mail address nor @ and a domain: ${patternProblem(bare)}`;
  if (suppression === "blocked") return { person: null, block: { pattern, at } };
  const address = parseAddress(bare);
  if (address === null)
    return `${quoted(who)} is a whole domain, which can only be blocked; set its kind to blocked`;
  return {
    block: null,
    person: { address, joinedAt: null, suppressions: { [suppression]: at }, data: {}, values: [] },
  };
}
