/** Whom a campaign lost: lists of any length, whose pages SQLite puts together as text. */
import type { LostSubscriber } from "../../domain/campaign.ts";
import type { WrittenListings } from "../../domain/ports.ts";
import type { RowForm } from "../../domain/written.ts";
import type { Cursor, WrittenRows } from "../paging.ts";
import { rowText } from "../row-text.ts";
import type { Connection } from "./connection.ts";

/** A row in SQL. */
export const lostSubscriberRow = (form: RowForm<LostSubscriber>): string =>
  rowText(
    form,
    {
      firstName: { text: "s.first_name" },
      lastName: { text: "s.last_name" },
      address: { text: "s.address" },
      joinedAt: { moment: "e.joined_text" },
      at: { moment: "e.at_text" },
    },
    "s.needs_escape",
  );

export function lostSubscribers(
  db: Connection,
  { account, campaign, event }: WrittenListings["lostSubscribers"]["args"],
  row: string,
  after: Cursor | null,
  size: number,
): WrittenRows {
  const from = [campaign, event, ...(after ?? [Number.MIN_SAFE_INTEGER, 0])];
  return db.snapshot(() => {
    // The page's last row, and one more where there is any.
    const [last, more] = db.all<{ readonly at: number; readonly id: number }>(
      "SELECT at, id FROM campaign_event WHERE campaign_id = ? AND event = ? AND (at, id) > (?, ?) ORDER BY at, id LIMIT 2 OFFSET ?",
      ...from,
      size - 1,
    );
    const page = db.get<{ readonly bytes: Uint8Array<ArrayBuffer> | null; readonly rows: number }>(
      `SELECT CAST(group_concat(row, '') AS BLOB) AS bytes, count(*) AS rows FROM (SELECT ${row} AS row FROM campaign_event AS e JOIN subscriber AS s ON s.id = e.subscriber_id WHERE e.campaign_id = ? AND e.event = ? AND (e.at, e.id) > (?, ?) AND e.account_id = ? ORDER BY e.at, e.id LIMIT ${size})`,
      ...from,
      account,
    );
    // Another account's campaign has a last row, but none that is shown.
    if (page?.bytes == null) return { bytes: new Uint8Array(), rows: 0, next: null };
    const { bytes, rows } = page;
    return { bytes, rows, next: last === undefined || more === undefined ? null : [last.at, last.id] };
  });
}
