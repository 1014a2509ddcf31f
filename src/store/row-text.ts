/** A row as text, in SQL that both databases understand: what a form says, around the columns that hold the values. */
import type { FieldForm, RowForm } from "../domain/encoded-rows.ts";

/** Where each value of a row is found; a moment as the text that it is written as. */
export type Columns<Row> = {
  readonly [K in keyof Row]: Row[K] extends string ? { readonly text: string } : { readonly moment: string };
};

/** What the column `needs_escape` of both databases looks for. */
const MARKED = "&<>\r";

type Part = { readonly literal: string } | { readonly sql: string };
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Literals that meet become one. */
function concat(parts: readonly Part[]): string {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if ("literal" in part && last !== undefined && "literal" in last)
      merged[merged.length - 1] = { literal: last.literal + part.literal };
    else merged.push(part);
  }
  return `concat(${merged.map((part) => ("sql" in part ? part.sql : quoted(part.literal))).join(", ")})`;
}

/**
 * Most rows have a value for every text and nothing to escape, and are put together at once. `needsEscape` is the column
 * that tells: to look for the characters while reading would take longer than all the rest.
 */
export function rowText<Row>(form: RowForm<Row>, columns: Columns<Row>, needsEscape: string): string {
  const foreign = form.escapes.find(([character]) => !MARKED.includes(character));
  if (foreign !== undefined)
    throw new Error(`rows with ${JSON.stringify(foreign[0])} in them are not marked`);
  const escaped = (sql: string): string =>
    form.escapes.reduce(
      (inner, [one, written]) => `replace(${inner}, ${quoted(one)}, ${quoted(written)})`,
      sql,
    );

  type Field = FieldForm<keyof Row>;
  const around = ({ start, end }: Field, sql: string): Part[] => [
    { literal: start },
    { sql },
    { literal: end },
  ];
  const plain = (field: Field): Part[] => {
    const column = columns[field.name];
    return around(field, "text" in column ? column.text : column.moment);
  };
  const perhapsEmpty = (field: Field, write: (sql: string) => string): Part[] => {
    const column = columns[field.name];
    if (!("text" in column)) return plain(field);
    const full = concat(around(field, write(column.text)));
    return [{ sql: `CASE ${column.text} WHEN '' THEN ${quoted(field.empty)} ELSE ${full} END` }];
  };
  const row = (write: (field: Field) => readonly Part[]): string =>
    concat([{ literal: form.start }, ...form.fields.flatMap((field) => write(field)), { literal: form.end }]);
  const isFull = form.fields
    .map(({ name }) => columns[name])
    .flatMap((column) => ("text" in column ? [`${column.text} <> ''`] : []))
    .join(" AND ");

  return `CASE
    WHEN ${needsEscape} THEN ${row((field) => perhapsEmpty(field, escaped))}
    WHEN ${isFull} THEN ${row(plain)}
    ELSE ${row((field) => perhapsEmpty(field, (sql) => sql))}
  END`;
}
