/**
 * What a file means, as the form says it: how it is read is in the address of the page, the columns and where
 * they go are sent with the dry run.
 */
import { createField } from "#admin/fields.ts";
import type { ImportSettings } from "#admin/imports/job-settings.ts";
import type { Preview } from "#admin/imports/start-import.ts";
import { createList } from "#admin/lists.ts";
import { separators } from "#api/v2/kit/separators.ts";
import { FormRefused } from "#console/kit/failures.ts";
import type { Form } from "#console/kit/forms/form.ts";
import type { Visit } from "#console/kit/visit.ts";
import { PLANNED_LIST, type TableContents, type TableFormat } from "#domain/import/job.ts";
import type { JobId } from "#domain/job/job.ts";
import { suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { isolated } from "#html/names.ts";
import * as texts from "./settings.texts.ts";

export const IGNORE = "ignore";
export const NEW_FIELD = "new field";
export const NEW_LIST = "new";
export const columnName = (index: number): string => `column-${index}`;
export const datesName = (index: number): string => `dates-${index}`;

export type Kind = TableContents["kind"];
export type Reading = Pick<TableFormat, "separator" | "encoding"> & { readonly kind: Kind };

/** How the address of the page says that the file is read; what it does not say is as in the last run. */
export function readingOf(query: URLSearchParams, last: ImportSettings | null): Reading {
  const [separator, encoding, contains] = ["separator", "encoding", "contains"].map((one) => query.get(one));
  const words = Object.keys(separators) as readonly (keyof typeof separators)[];
  const word = words.find((one) => one === separator);
  const kind = contains ?? last?.contents.kind;
  return {
    separator:
      separator === null || separator === undefined
        ? (last?.format.separator ?? null)
        : word === undefined
          ? null
          : separators[word],
    encoding:
      encoding === null || encoding === undefined
        ? (last?.format.encoding ?? null)
        : Object.hasOwn(texts.encodings, encoding)
          ? encoding
          : null,
    kind: kind === "suppressions" ? kind : "subscribers",
  };
}

/** The least that a preview needs. */
export const anyContents = (kind: Kind): TableContents =>
  kind === "suppressions"
    ? { kind, as: "unsubscribed" }
    : { kind, list: 0, overwrite: false, map: [], ignoresUnknown: true };

type Columns = Preview["columns"];
const headingAt = (columns: Columns, index: number): string => columns[index]?.heading?.trim() ?? "";
export const shownHeading = (columns: Columns, index: number): string =>
  headingAt(columns, index) || texts.noHeading(index + 1);

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
      throw new FormRefused({ fields: { [name]: texts.sameHeading(heading) } });
    map.set(key, column);
    if (column === IGNORE || column === NEW_FIELD) continue;
    const earlier = chosen.get(column);
    if (earlier !== undefined)
      throw new FormRefused({
        fields: { [name]: texts.twice(columnLabel(column), `"${isolated(shownHeading(columns, earlier))}"`) },
      });
    chosen.set(column, index);
  }
  if (!chosen.has("email")) throw new FormRefused({ message: texts.noEmail });
  return [...new Set(columns.map((_, index) => headingAt(columns, index)))].map((heading) => ({
    heading,
    column: map.get(heading.toLowerCase()) ?? IGNORE,
  }));
}

export const columnLabel = (column: string): string =>
  texts.standardColumns[column] ?? `"${isolated(column)}"`;

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

type Map = readonly { readonly heading: string; readonly column: string }[];
type SubscriberContents = Extract<TableContents, { kind: "subscribers" }>;
type Where = Pick<SubscriberContents, "list" | "map" | "planned">;

/** Where the form wants the rows to go. What it wants to be new is only planned. Throws FormRefused. */
export function whereIn(form: Form, map: Map): Where {
  const list = form.text("list");
  const name = form.text("newList").trim();
  const isNew = list === NEW_LIST;
  if (list === "") throw new FormRefused({ fields: { list: texts.noList } });
  if (isNew && name === "") throw new FormRefused({ fields: { newList: texts.noListName } });
  const fields = map.flatMap(({ heading, column }) => (column === NEW_FIELD ? [heading] : []));
  return {
    list: isNew ? PLANNED_LIST : Number(list),
    map: map.map(({ heading, column }) => ({ heading, column: column === NEW_FIELD ? IGNORE : column })),
    ...(isNew || fields.length > 0 ? { planned: { list: isNew ? name : null, fields } } : {}),
  };
}

/**
 * Creates the list and the fields that a dry run has planned, when its import starts. If the import does not
 * start then, they are there already when it is tried again.
 */
export async function withPlanned(
  { performOnce, account }: Pick<Visit<"/{account}">, "performOnce" | "account">,
  run: JobId,
  { planned, ...contents }: SubscriberContents,
): Promise<SubscriberContents> {
  if (planned === undefined) return contents;
  const columns = new Map<string, string>();
  const field = { account: account.id, type: "STRING", isPrivate: false, id: null } as const;
  for (const name of planned.fields)
    columns.set(name, `#${(await performOnce(`${run} field ${name}`, createField, { ...field, name })).id}`);
  const list =
    planned.list === null
      ? contents.list
      : (await performOnce(`${run} list`, createList, { account: account.id, name: planned.list, id: null }))
          .id;
  const map = contents.map.map(({ heading, column }) => ({
    heading,
    column: columns.get(heading) ?? column,
  }));
  return { ...contents, list, map };
}
