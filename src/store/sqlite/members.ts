/** Reads the members of a list for an export. */
import type { FieldId } from "../../domain/field.ts";
import type { Listings, Member } from "../../domain/ports.ts";
import { MEMBER, type MemberRow, pageOfMembers } from "../members.ts";
import type { Cursor, Page } from "../paging.ts";
import type { Connection } from "./connection.ts";

export function members(
  db: Connection,
  { account, list }: Listings["members"]["args"],
  after: Cursor | null,
  size: number,
): Page<Member, Cursor> {
  const from = after?.[1] ?? 0;
  const rows = db.all<MemberRow>(
    `SELECT ${MEMBER} FROM membership AS m JOIN subscriber AS s ON s.id = m.subscriber_id WHERE m.list_id = ? AND m.account_id = ? AND m.subscriber_id > ? ORDER BY m.subscriber_id LIMIT ${size}`,
    list,
    account,
    from,
  );
  const values = db.allExact<{ person: bigint; field: FieldId; value: string }>(
    "SELECT v.subscriber_id AS person, v.field_id AS field, v.value FROM membership AS m JOIN custom_value AS v ON v.subscriber_id = m.subscriber_id WHERE m.list_id = ? AND m.subscriber_id > ? AND m.subscriber_id <= ?",
    list,
    from,
    rows.at(-1)?.id ?? 0,
  );
  return pageOfMembers(
    rows,
    values.map((row) => ({ ...row, person: Number(row.person) })),
    size,
  );
}
