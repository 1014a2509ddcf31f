/**
 * Health checks: whether the database answers and accepts writes. For the doctor: counters against a recount,
 * and whether the file is intact.
 */
import type { Recount } from "../../domain/ports/health.ts";
import { ACTIVE, COUNTED } from "../who-counts.ts";
import type { Connection } from "./connection.ts";
import { appliedTo } from "./migrate.ts";

export const ping = (db: Connection): number => appliedTo(db);

/** Sets an unused number to its own value: SQLite writes the page all the same. */
export function probeWrite(db: Connection): null {
  db.exec("PRAGMA user_version = 0");
  return null;
}

/** Of the file without its journal. */
export const databaseBytes = (db: Connection): number =>
  db.get<{ bytes: number }>(
    "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
  )?.bytes ?? 0;

export const recount = (db: Connection): readonly Recount[] => [
  ...db.all<Recount>(
    `SELECT 'active subscribers of account ' || id AS what, active_subscribers AS kept, (SELECT count(*) FROM subscriber AS s WHERE s.account_id = account.id AND ${ACTIVE}) AS counted FROM account ORDER BY id`,
  ),
  ...db.all<Recount>(
    "SELECT 'refused calls of account ' || id AS what, refused_rows AS kept, (SELECT count(*) FROM refused AS r WHERE r.account_id = account.id) AS counted FROM account ORDER BY id",
  ),
  ...db.all<Recount>(
    "SELECT 'bytes of refused calls of account ' || id AS what, refused_bytes AS kept, coalesce((SELECT sum(octet_length(args)) FROM refused AS r WHERE r.account_id = account.id), 0) AS counted FROM account ORDER BY id",
  ),
  ...db.all<Recount>(
    `SELECT 'members of list ' || l.id AS what, member_count AS kept, (SELECT count(*) FROM membership AS m JOIN subscriber AS s ON s.id = m.subscriber_id WHERE m.list_id = l.id AND ${COUNTED}) AS counted FROM list AS l ORDER BY l.id`,
  ),
  ...db.all<Recount>(
    `WITH same AS (
       SELECT e.account_id, count(*) AS kept, count(s.id) AS counted
       FROM campaign_event AS e LEFT JOIN subscriber AS s
         ON s.id = e.subscriber_id AND s.first_name = e.first_name AND s.last_name = e.last_name AND s.address = e.address
       GROUP BY e.account_id
     )
     SELECT 'campaign events with the subscriber''s names and address, of account ' || a.id AS what, coalesce(kept, 0) AS kept, coalesce(counted, 0) AS counted
     FROM account AS a LEFT JOIN same ON same.account_id = a.id ORDER BY a.id`,
  ),
];

export const integrity = (db: Connection): readonly string[] =>
  db
    .all<{ integrity_check: string }>("PRAGMA integrity_check(20)")
    .map((row) => row.integrity_check)
    .filter((line) => line !== "ok");
