/**
 * Campaign unsubscribes, bounces and complaints: listings of any length, whose pages SQLite encodes as text.
 */
import type { EventSubscriber } from "../../../domain/campaign.ts";
import type { RowForm } from "../../../domain/encoded-rows.ts";
import { bytes, integer, nullable } from "../../cold/statement.ts";
import { eventRow } from "../../event-row.ts";
import type { Args } from "../../methods.ts";
import { type Cursor, PAGE_SIZE, type WrittenRows } from "../../paging.ts";
import type { Connection } from "../connection.ts";
import { afterCursor } from "../keyset.ts";
import { family, statement } from "../statement.ts";

/** The SQL expression of an encoded row. */
export const eventSubscriberRow = (form: RowForm<EventSubscriber>): string =>
  eventRow(form, (parts) => `concat(${parts.join(", ")})`);

const events = (columns: string, condition: string): string =>
  afterCursor(
    (after) => `
     SELECT ${columns}
     FROM campaign_event AS e
     WHERE e.campaign_id = ?1 AND e.event = ?2 AND ${condition} AND ${after}`,
    { time: ["e.at", "?3"], id: ["e.id", "?4"], comes: "later" },
  );
/**
 * The last row of a page, and one more if there is any; of any account: the index contains everything that is
 * needed.
 */
const ENDS = statement(
  { at: integer, id: integer },
  `${events("e.at AS at, e.id AS id", "true")} ORDER BY at, id LIMIT 2 OFFSET ?5`,
);
const PAGE = family(
  { bytes: nullable(bytes), rows: integer },
  [{ row: "''", size: PAGE_SIZE }],
  ({ row, size }) => `
   SELECT CAST(group_concat(row, '') AS BLOB) AS bytes, count(*) AS rows
   FROM (
     ${events(`${row} AS row, e.at AS at, e.id AS id`, "e.account_id = ?5")}
     ORDER BY at, id
     LIMIT ${size}
   )`,
);

export function subscribersByEvent(
  db: Connection,
  { account, campaign, event }: Args<"campaigns.subscribersByEvent">,
  row: string,
  after: Cursor | null,
  size: number,
): WrittenRows {
  const from = [campaign, event, ...(after ?? [Number.MIN_SAFE_INTEGER, 0])];
  return db.snapshot(() => {
    const [last, more] = db.all(ENDS, ...from, size - 1);
    const page = db.get(PAGE({ row, size }), ...from, account);
    // The campaign of another account has a last row, but no row is shown.
    if (page?.bytes == null) return { bytes: new Uint8Array(), rows: 0, next: null };
    return {
      bytes: page.bytes,
      rows: page.rows,
      next: last === undefined || more === undefined ? null : [last.at, last.id],
    };
  });
}
