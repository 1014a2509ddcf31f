/** Reads the members of a list for an export. */
import type { Listings, Member } from "../../domain/ports.ts";
import type { SubscriberId } from "../../domain/subscriber.ts";
import { MEMBER, type MemberRow, pageOfMembers } from "../members.ts";
import type { Cursor, Page } from "../paging.ts";
import type { Connection } from "./sessions/connection.ts";

export async function members(
  db: Connection,
  { account, list }: Listings["members"]["args"],
  after: Cursor | null,
  size: number,
): Promise<Page<Member, Cursor>> {
  const rows = await db.all<MemberRow>(
    `SELECT ${MEMBER} FROM membership AS m JOIN subscriber AS s ON s.account_id = m.account_id AND s.id = m.subscriber_id WHERE m.account_id = $1 AND m.list_id = $2 AND m.subscriber_id > $3 ORDER BY m.subscriber_id LIMIT $4`,
    account,
    list,
    after?.[1] ?? 0,
    size,
  );
  const values = await db.all<{ person: SubscriberId; field: string; value: string }>(
    "SELECT subscriber_id AS person, field_id::text AS field, value FROM custom_value WHERE account_id = $1 AND subscriber_id = ANY ($2::bigint[])",
    account,
    rows.map(({ id }) => id),
  );
  return pageOfMembers(
    rows,
    values.map((row) => ({ ...row, field: BigInt(row.field) })),
    size,
  );
}
