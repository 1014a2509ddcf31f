/** The members of a list with what is known about them, to be taken elsewhere. */
import type { FieldId } from "../../domain/field.ts";
import type { Listings, Member } from "../../domain/ports.ts";
import type { BasicData, SubscriberId } from "../../domain/subscriber.ts";
import { type Cursor, type Page, pageOf } from "../paging.ts";
import type { Connection } from "./connection.ts";
import { FACTS, type FactRow, toKnown } from "./facts.ts";

type MemberRow = FactRow & BasicData & { readonly address: string; readonly joinedAt: number };
type Values = Member["values"][number][];

export function members(
  db: Connection,
  { account, list }: Listings["members"]["args"],
  after: Cursor | null,
  size: number,
): Page<Member, Cursor> {
  const from = after?.[1] ?? 0;
  const rows = db.all<MemberRow>(
    `SELECT s.id, address, known_since AS since, joined_at AS joinedAt, ${FACTS}, first_name AS firstName, last_name AS lastName, gender, birthday, country FROM membership AS m JOIN subscriber AS s ON s.id = m.subscriber_id WHERE m.list_id = ? AND m.account_id = ? AND m.subscriber_id > ? ORDER BY m.subscriber_id LIMIT ?`,
    list,
    account,
    from,
    size,
  );
  const values = valuesOf(db, list, from, rows.at(-1)?.id ?? 0);
  const { next } = pageOf(rows, size, ({ id }) => [0, id]);
  return {
    next,
    rows: rows.map((row) => {
      const { id, address, joinedAt, firstName, lastName, gender, birthday, country } = row;
      const data = { firstName, lastName, gender, birthday, country };
      return { address, joinedAt, facts: toKnown(row).facts, data, values: values.get(id) ?? [] };
    }),
  };
}

function valuesOf(
  db: Connection,
  list: number,
  after: number | bigint,
  last: SubscriberId,
): ReadonlyMap<SubscriberId, Values> {
  const rows = db.allExact<{ person: bigint; field: FieldId; value: string }>(
    "SELECT v.subscriber_id AS person, v.field_id AS field, v.value FROM membership AS m JOIN custom_value AS v ON v.subscriber_id = m.subscriber_id WHERE m.list_id = ? AND m.subscriber_id > ? AND m.subscriber_id <= ?",
    list,
    after,
    last,
  );
  const values = new Map<SubscriberId, Values>();
  for (const { person, field, value } of rows) {
    const id = Number(person);
    const known = values.get(id);
    if (known === undefined) values.set(id, [{ field, value }]);
    else known.push({ field, value });
  }
  return values;
}
