/**
 * The row of a campaign event: the words of its kinds, and the row encoded as text. Both databases store the
 * names, the address and both times as text in `campaign_event`, so a page needs no join.
 */

import { type CampaignEvent, campaignEvents, type EventSubscriber } from "#domain/campaign.ts";
import type { FieldForm, RowForm } from "#domain/paging.ts";
import { oneOf } from "../cold/kit/statement.ts";

// Encodes a row as text, in SQL that both databases understand: the literals of a form around the columns
// that contain the values.

/** The SQL expression of each value of a row; times are already text. */
type Columns<Row> = {
  readonly [K in keyof Row]: Row[K] extends string ? { readonly text: string } : { readonly moment: string };
};

/** The characters that the generated column `needs_escape` of both databases looks for. */
const MARKED = "&<>\r";

/**
 * Both databases have a function and an operator for this. SQLite's function is faster, as it copies the text
 * once; PostgreSQL's converts every value first, and its operator is faster.
 */
type Concatenate = (parts: readonly string[]) => string;

type Part = { readonly literal: string } | { readonly sql: string };
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Adjacent literals are merged. */
function partsOf(parts: readonly Part[]): readonly string[] {
  const merged: Part[] = [];
  for (const part of parts) {
    const last = merged.at(-1);
    if ("literal" in part && last !== undefined && "literal" in last)
      merged[merged.length - 1] = { literal: last.literal + part.literal };
    else merged.push(part);
  }
  return merged.map((part) => ("sql" in part ? part.sql : quoted(part.literal)));
}

/**
 * Most rows have a value for every text and nothing to escape, and are concatenated at once. `needsEscape` is
 * the column that says so: searching for the characters during the read would take longer than everything
 * else.
 */
function rowText<Row>(
  form: RowForm<Row>,
  columns: Columns<Row>,
  needsEscape: string,
  concatenate: Concatenate,
): string {
  const concat = (parts: readonly Part[]): string => concatenate(partsOf(parts));
  const foreign = form.escapes.find(([character]) => !MARKED.includes(character));
  if (foreign !== undefined)
    throw new Error(`needs_escape does not mark rows with ${JSON.stringify(foreign[0])}`);
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

/** Databases have other words for events than for the suppressions that follow from them. */
export const storedEvent: Readonly<Record<CampaignEvent, string>> = {
  bounced: "hard-bounce",
  unsubscribed: "unsubscribe",
  complained: "complaint",
};
export const eventColumn = oneOf(campaignEvents, (event) => storedEvent[event]);

/** The SQL expression of an encoded row of `campaign_event AS e`. */
export const eventRow = (form: RowForm<EventSubscriber>, concatenate: Concatenate): string =>
  rowText(
    form,
    {
      firstName: { text: "e.first_name" },
      lastName: { text: "e.last_name" },
      address: { text: "e.address" },
      joinedAt: { moment: "e.joined_text" },
      at: { moment: "e.at_text" },
    },
    "e.needs_escape",
    concatenate,
  );
