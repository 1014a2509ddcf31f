/**
 * Campaign unsubscribes, bounces and complaints: listings of any length, whose pages PostgreSQL encodes as
 * text.
 */
import type { EventSubscriber } from "#domain/campaign.ts";
import type { RowForm } from "#domain/paging.ts";
import { boolean, integer, nullable, text } from "../../cold/kit/statement.ts";
import type { Args } from "../../methods.ts";
import { eventRow, storedEvent } from "../../reads/event-row.ts";
import { PAGE_SIZE, type ReadEncoded } from "../../reads/paging.ts";
import type { Connection } from "../sessions/connection.ts";
import { family } from "../statement.ts";

/** The SQL expression of an encoded row. */
export const eventSubscriberRow = (form: RowForm<EventSubscriber>): string =>
  eventRow(form, (parts) => `(${parts.join(" || ")})`);

const AFTER = "e.account_id = $1 AND e.campaign_id = $2 AND e.event = $3 AND (e.at, e.id) > ($4, $5)";
/** `ends` are the last row of a page, and one more if there is any. */
const PAGE = family(
  { text: nullable(text), rows: integer, at: nullable(integer), id: nullable(integer), more: boolean },
  [{ row: "''", size: PAGE_SIZE }],
  ({ row, size }) => `
   WITH ends AS MATERIALIZED (
     SELECT e.at, e.id
     FROM campaign_event AS e
     WHERE ${AFTER}
     ORDER BY e.at, e.id
     OFFSET ${size - 1}
     LIMIT 2
   )
   SELECT
     string_agg(text, '') AS text,
     count(*) AS rows,
     (SELECT at FROM ends ORDER BY at, id LIMIT 1) AS at,
     (SELECT id FROM ends ORDER BY at, id LIMIT 1) AS id,
     (SELECT count(*) FROM ends) = 2 AS more
   FROM (
     SELECT ${row} AS text
     FROM campaign_event AS e
     WHERE ${AFTER}
     ORDER BY e.at, e.id
     LIMIT ${size}
   ) AS line`,
);

export const subscribersByEvent: ReadEncoded<Connection, Args<"campaigns.subscribersByEvent">> = async (
  db,
  { account, campaign, event },
  row,
  after,
  size,
) => {
  const [time, id] = after ?? [Number.MIN_SAFE_INTEGER, 0];
  const found = await db.get(PAGE({ row, size }), account, campaign, storedEvent[event], time, id);
  const bytes = new TextEncoder().encode(found?.text ?? "");
  return {
    bytes,
    rows: found?.rows ?? 0,
    next: found?.more === true ? [Number(found.at), Number(found.id)] : null,
  };
};
