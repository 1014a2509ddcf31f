/**
 * Campaign unsubscribes, bounces and complaints: listings of any length, whose pages SQLite encodes as text.
 */
import type { EventSubscriber } from "#domain/campaign.ts";
import type { RowForm } from "#domain/paging.ts";
import { bytes, integer, nullable } from "../../cold/kit/statement.ts";
import type { Args } from "../../methods.ts";
import { eventRow, storedEvent } from "../../reads/event-row.ts";
import { PAGE_SIZE, type ReadEncoded } from "../../reads/paging.ts";
import type { Connection } from "../connection.ts";
import { family, statement } from "../statement.ts";

/** The SQL expression of an encoded row. */
export const eventSubscriberRow = (form: RowForm<EventSubscriber>): string =>
  eventRow(form, (parts) => `concat(${parts.join(", ")})`);

/**
 * The rows after a time and an id, as two merged index seeks: the remaining rows of that time, and the later
 * ones. For `(at, id) > (?, ?)` SQLite uses only the time in the index. It would skip over all rows of one
 * time, such as those of an import, for every page.
 */
const events = (columns: string, condition: string): string =>
  ["e.at = ?3 AND e.id > ?4", "e.at > ?3"]
    .map(
      (after) => `
     SELECT ${columns}
     FROM campaign_event AS e
     WHERE e.campaign_id = ?1 AND e.event = ?2 AND ${condition} AND ${after}`,
    )
    .join(" UNION ALL ");
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

export const subscribersByEvent: ReadEncoded<Connection, Args<"campaigns.subscribersByEvent">> = (
  db,
  { account, campaign, event },
  row,
  after,
  size,
) => {
  const from = [campaign, storedEvent[event], ...(after ?? [Number.MIN_SAFE_INTEGER, 0])];
  return db.snapshot(async () => {
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
};
