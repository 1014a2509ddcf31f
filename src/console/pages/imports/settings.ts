/**
 * What a file means, as the form says it: how it is read is in the address of the page, the columns and where
 * they go are sent with the dry run.
 */

import type { ImportSettings, Preview } from "#admin/imports/start-import.ts";
import { createList } from "#admin/lists.ts";
import { separators } from "#csv/write-csv.ts";
import { PLANNED_LIST, type TableContents, type TableFormat } from "#domain/import/job.ts";
import type { JobId } from "#domain/job/job.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { isolated } from "#html/names.ts";
import { FormRefused } from "../../kit/errors.ts";
import type { Form } from "../../kit/form.ts";
import type { PageContext } from "../../kit/page.ts";

/** By the names of columns in the layer. */
export const standardColumns: Readonly<Record<string, string>> = {
  email: "E-mail address",
  first_name: "First name",
  last_name: "Last name",
  full_name: "First and last name, split at the last space",
  json_attributes: "JSON attributes, as fields",
  gender: "Gender",
  birthday: "Birthday",
  country: "Country",
  subscribed_at: "Date of subscription",
  state: "State (active, unsubscribed …)",
  consent: "Wants mail: no means unsubscribed",
  unsubscribed_at: "Date of unsubscription",
  bounced_at: "Date of a bounce",
  complained_at: "Date of a complaint",
  blocked_at: "Date of a block",
};
/** Of suppressions, whose columns are found by their headings. */
export const suppressionColumns: Readonly<Record<string, string>> = {
  email: "Address or domain",
  kind: "Reason",
  date: "Date",
};
export const encodings: Readonly<Record<string, string>> = {
  "utf-8": "UTF-8",
  "windows-1252": "Western European (Windows-1252)",
  "windows-1250": "Central European (Windows-1250)",
  "windows-1251": "Cyrillic (Windows-1251)",
  "utf-16le": "UTF-16",
  macintosh: "Macintosh",
  shift_jis: "Japanese (Shift JIS)",
  gb18030: "Chinese (GB 18030)",
};
export const settingsTexts = {
  recognised: { dmy: "Day first", mdy: "Month first" } as const,
  ambiguous: "These dates can be read in two ways. Choose whether the day or the month comes first.",
  mixed:
    "In some of these dates the day comes first, in others the month. Correct the file, or choose one order: dates in the other one are then invalid.",
  kinds: {
    unsubscribed: "They unsubscribed",
    bounced: "Their mail bounced",
    complained: "They reported spam",
    blocked: "They are blocked (addresses or domains)",
  } as const,
  format: "How the file is read",
  separators: {
    comma: "Comma",
    semicolon: "Semicolon",
    tab: "Tab",
    pipe: "Vertical bar",
  } as const,
};

export const IGNORE = "ignore";
export const FULL_NAME = "full_name";
export const NEW_FIELD = "new_field";
export const NEW_LIST = "new";
export const columnName = (index: number): string => `column-${index}`;
export const datesName = (index: number): string => `dates-${index}`;

type Kind = TableContents["kind"];
export type Reading = Omit<TableFormat, "dates"> & {
  readonly kind: Kind;
  /** Whether the first row names the columns of subscribers. */
  readonly hasHeader: boolean;
};
/** Of the address of the page. */
export const NO_HEADINGS = "none";

/** How the address of the page says that the file is read; what it does not say is as in the last run. */
export function readingOf(query: URLSearchParams, last: ImportSettings | null): Reading {
  const [separator, encoding] = [query.get("separator"), query.get("encoding")];
  const words = Object.entries(separators);
  const kind = query.get("contains") ?? last?.contents.kind;
  const hadHeader = last?.contents.kind !== "subscribers" || last.contents.hasHeader !== false;
  return {
    separator:
      separator === null
        ? (last?.format.separator ?? null)
        : (words.find(([word]) => word === separator)?.[1] ?? null),
    encoding:
      encoding === null
        ? (last?.format.encoding ?? null)
        : Object.hasOwn(encodings, encoding)
          ? encoding
          : null,
    sheet: query.get("sheet") ?? last?.format.sheet ?? null,
    kind: kind === "suppressions" ? kind : "subscribers",
    hasHeader: query.has("headings") ? query.get("headings") !== NO_HEADINGS : hadHeader,
  };
}

/** The least that a preview needs. */
export const anyContents = ({ kind, hasHeader }: Pick<Reading, "kind" | "hasHeader">): TableContents =>
  kind === "suppressions"
    ? { kind, as: "unsubscribed" }
    : { kind, list: 0, overwrite: false, map: [], ignoresUnknown: true, hasHeader };

type Columns = Preview["columns"];
/** What the layer calls a column: without headings it is the number. */
const headingAt = (columns: Columns, index: number): string =>
  columns[index]?.heading?.trim() ?? String(index + 1);
export const shownHeading = (columns: Columns, index: number): string =>
  columns[index]?.heading?.trim() || `Column ${index + 1}`;

/** What the selects say: one pair for each heading. Throws FormRefused. */
export function mapIn(form: Form, columns: Columns): readonly { heading: string; column: string }[] {
  const map = new Map<string, string>();
  const chosen = new Map<string, number>();
  for (const [index] of columns.entries()) {
    const name = columnName(index);
    const column = form.text(name) || IGNORE;
    const heading = headingAt(columns, index);
    const key = heading.toLowerCase();
    const other = map.get(key);
    if (other !== undefined && other !== column)
      throw new FormRefused({
        fields: {
          [name]: `Several columns of the file have the heading "${isolated(heading)}", so they are ambiguous. Give them different headings in the file, or choose "Do not import" for all of them.`,
        },
      });
    map.set(key, column);
    if (column === IGNORE || column === NEW_FIELD) continue;
    // As it was filled in: several columns may say something about the state.
    if (columns[index]?.mayRepeat === true && columns[index].column === column) continue;
    const earlier = chosen.get(column);
    if (earlier !== undefined)
      throw new FormRefused({
        fields: {
          [name]: `${columnLabel(column)} is chosen for two columns, also for ${`"${isolated(shownHeading(columns, earlier))}"`}. Choose "Do not import" for one of them.`,
        },
      });
    chosen.set(column, index);
  }
  if (!chosen.has("email"))
    throw new FormRefused({ message: "Choose the column that contains the e-mail addresses." });
  return [...new Set(columns.map((_, index) => headingAt(columns, index)))].map((heading) => ({
    heading,
    column: map.get(heading.toLowerCase()) ?? IGNORE,
  }));
}

const columnLabel = (column: string): string => standardColumns[column] ?? `"${isolated(column)}"`;

/** The orders of dates that were chosen. */
export const datesIn = (form: Form, columns: Columns): TableFormat["dates"] =>
  columns.flatMap((_, index) => {
    const order = form.text(datesName(index));
    const heading = headingAt(columns, index);
    return order === "dmy" || order === "mdy" ? [{ heading, order: order as "dmy" | "mdy" }] : [];
  });

export const suppressionsIn = (form: Form): TableContents => ({
  kind: "suppressions",
  as: suppressionKinds.find((kind) => kind === form.text("as")) ?? null,
});

type SubscriberContents = Extract<TableContents, { kind: "subscribers" }>;
type Where = Pick<SubscriberContents, "list" | "plannedList">;

/** Where the form wants the rows to go. A new list is only planned. Throws FormRefused. */
export function whereIn(form: Form): Where {
  const list = form.text("list");
  const name = form.text("newList").trim();
  const isNew = list === NEW_LIST;
  if (list === "") throw new FormRefused({ fields: { list: "Choose a list, or a new one." } });
  if (isNew && name === "") throw new FormRefused({ fields: { newList: "Give the new list a name." } });
  return isNew ? { list: PLANNED_LIST, plannedList: name } : { list: Number(list) };
}

/**
 * Creates the list that a dry run has planned, when its import starts. If the import does not start then, it
 * is there already when that is tried again.
 */
export async function withPlannedList(
  { performIdempotent }: Pick<PageContext<"/{account}">, "performIdempotent">,
  run: JobId,
  { plannedList: name, ...contents }: SubscriberContents,
): Promise<SubscriberContents> {
  if (name === undefined) return contents;
  const { id: list } = await performIdempotent(`${run} list`, createList, { name, id: null });
  return { ...contents, list };
}
