/** The members of a list with what is known about them, to be taken elsewhere. */
import type { Listings, Member } from "../../domain/ports.ts";
import type { BasicData, Facts, SubscriberId } from "../../domain/subscriber.ts";
import { type Cursor, type Page, pageOf } from "../paging.ts";
import type { Connection } from "./connection.ts";
import { FACTS, toFacts } from "./facts.ts";

interface MemberRow extends Facts, BasicData {
  readonly id: SubscriberId;
  readonly address: string;
  readonly joinedAt: number;
}
type Values = Member["values"][number][];

export async function members(
  db: Connection,
  { account, list }: Listings["members"]["args"],
  after: Cursor | null,
  size: number,
): Promise<Page<Member, Cursor>> {
  const rows = await db.all<MemberRow>(
    `SELECT s.id, s.address, m.joined_at AS "joinedAt", ${FACTS}, s.first_name AS "firstName", s.last_name AS "lastName", s.gender, s.birthday, s.country FROM membership AS m JOIN subscriber AS s ON s.account_id = m.account_id AND s.id = m.subscriber_id WHERE m.account_id = $1 AND m.list_id = $2 AND m.subscriber_id > $3 ORDER BY m.subscriber_id LIMIT $4`,
    account,
    list,
    after?.[1] ?? 0,
    size,
  );
  const values = await valuesOf(
    db,
    account,
    rows.map(({ id }) => id),
  );
  const { next } = pageOf(rows, size, ({ id }) => [0, id]);
  return {
    next,
    rows: rows.map((row) => {
      const { id, address, joinedAt, firstName, lastName, gender, birthday, country } = row;
      const data = { firstName, lastName, gender, birthday, country };
      return { address, joinedAt, facts: toFacts(row), data, values: values.get(id) ?? [] };
    }),
  };
}

async function valuesOf(
  db: Connection,
  account: number,
  people: readonly SubscriberId[],
): Promise<ReadonlyMap<SubscriberId, Values>> {
  const rows = await db.all<{ person: SubscriberId; field: string; value: string }>(
    "SELECT subscriber_id AS person, field_id::text AS field, value FROM custom_value WHERE account_id = $1 AND subscriber_id = ANY ($2::bigint[])",
    account,
    people,
  );
  const values = new Map<SubscriberId, Values>();
  for (const { person, field, value } of rows) {
    const known = values.get(person);
    if (known === undefined) values.set(person, [{ field: BigInt(field), value }]);
    else known.push({ field: BigInt(field), value });
  }
  return values;
}
