/**
 * Health checks: whether the database answers and accepts writes. For the doctor: counters against a recount,
 * and damage that the server has noticed in its files.
 */

import { StoreUnavailable } from "../../domain/ports/errors.ts";
import type { Recount } from "../../domain/ports/health.ts";
import { refuseWritesToNewer } from "../migrations.ts";
import { ACTIVE, COUNTED } from "../who-counts.ts";
import { appliedTo } from "./migrate.ts";
import type { Connection } from "./sessions/connection.ts";
import type { Done } from "./sessions/transactions.ts";

export const ping = (db: Connection): Promise<number> => appliedTo(db);

export interface WriteProbe {
  readonly kind: "health.probeWrite";
  readonly args: object;
}

/**
 * Even the weakest row lock is written into the row, so it counts as a write. It leaves no dead row and
 * blocks nobody. Any unlocked row will do: this node must not wait for another account's work.
 */
const LOCK = "SELECT 1 AS one FROM account ORDER BY id LIMIT 1 FOR KEY SHARE";
/**
 * The tables that an add reads and changes. The server checks locks and rights for them, and no row matches.
 */
const READ = "SELECT 1 FROM account, list, field, subscriber, membership, block, erased WHERE false";
const CHANGED: readonly string[] = [
  "UPDATE account SET active_subscribers = active_subscribers WHERE false",
  "UPDATE list SET member_count = member_count WHERE false",
  "INSERT INTO subscriber (account_id, id, address, address_key, known_since) SELECT 0, 0, '', '', 0 WHERE false",
  "UPDATE subscriber SET first_name = first_name WHERE false",
  "INSERT INTO membership (account_id, subscriber_id, list_id, joined_at) SELECT 0, 0, 0, 0 WHERE false",
  "INSERT INTO custom_value (account_id, subscriber_id, field_id, value, given_at) SELECT 0, 0, 0, '', 0 WHERE false",
  "INSERT INTO history (account_id, subscriber_id, at, kind, origin) SELECT 0, 0, 0, '', '' WHERE false",
  "INSERT INTO refused (account_id, operation, args, is_cut, outcome, fingerprint, first_at, last_at) SELECT 0, '', '', false, '', '', 0, 0 WHERE false",
];
/** Checks the right only: a sequence value that is taken cannot be returned. */
const MAY_TAKE_IDS = "SELECT has_sequence_privilege('subscriber_id', 'USAGE, UPDATE') AS may";

/** A transaction that fails where an add would fail, and changes nothing. */
export async function probeWrite(db: Connection, schemaVersion: number): Promise<Done<null>> {
  const [free, ids, applied] = await Promise.all([
    db.get(`${LOCK} SKIP LOCKED`),
    db.get<{ may: boolean }>(MAY_TAKE_IDS),
    appliedTo(db),
    db.run(READ),
  ]);
  refuseWritesToNewer(applied, schemaVersion);
  if (ids?.may !== true) throw new StoreUnavailable("permission denied for sequence subscriber_id");
  // Every row is locked, or there is none.
  if (free === undefined) await db.get(LOCK);
  return { result: null, saves: CHANGED.map((sql) => ({ sql, values: [] })) };
}

export const databaseBytes = async (db: Connection): Promise<number> =>
  (await db.get<{ bytes: number }>("SELECT pg_database_size(current_database()) AS bytes"))?.bytes ?? 0;

/**
 * One statement, so one snapshot: other nodes may be writing. It reads each table once, whatever the number
 * of lists.
 */
export const recount = (db: Connection): Promise<readonly Recount[]> =>
  db.all<Recount>(
    `WITH active AS (
       SELECT s.account_id, count(*) AS n FROM subscriber AS s WHERE ${ACTIVE} GROUP BY s.account_id
     ), refusals AS (
       SELECT r.account_id, count(*) AS n, sum(octet_length(args)) AS bytes FROM refused AS r GROUP BY r.account_id
     ), members AS (
       SELECT m.account_id, m.list_id, count(*) AS n
       FROM membership AS m JOIN subscriber AS s ON s.account_id = m.account_id AND s.id = m.subscriber_id
       WHERE ${COUNTED} GROUP BY m.account_id, m.list_id
     ), same AS (
       SELECT e.account_id, count(*) AS events, count(s.id) AS n
       FROM campaign_event AS e LEFT JOIN subscriber AS s
         ON s.account_id = e.account_id AND s.id = e.subscriber_id
         AND s.first_name = e.first_name AND s.last_name = e.last_name AND s.address = e.address
       GROUP BY e.account_id
     ), number AS (
       SELECT 1 AS part, a.id, 'active subscribers of account ' || a.id AS what, a.active_subscribers AS kept, n
       FROM account AS a LEFT JOIN active AS c ON c.account_id = a.id
       UNION ALL
       SELECT 2, a.id, 'refused calls of account ' || a.id, a.refused_rows, n
       FROM account AS a LEFT JOIN refusals AS c ON c.account_id = a.id
       UNION ALL
       SELECT 3, a.id, 'bytes of refused calls of account ' || a.id, a.refused_bytes, bytes
       FROM account AS a LEFT JOIN refusals AS c ON c.account_id = a.id
       UNION ALL
       SELECT 4, l.id, 'members of list ' || l.id, l.member_count, n
       FROM list AS l LEFT JOIN members AS c ON c.account_id = l.account_id AND c.list_id = l.id
       UNION ALL
       SELECT 5, a.id, 'campaign events with the subscriber''s names and address, of account ' || a.id, coalesce(events, 0), n
       FROM account AS a LEFT JOIN same AS c ON c.account_id = a.id
     )
     SELECT what, kept, coalesce(n, 0) AS counted FROM number ORDER BY part, id`,
  );

/**
 * Checking every page is left to the server (`pg_amcheck`, data checksums). This reports what the server has
 * noticed.
 */
export async function integrity(db: Connection): Promise<readonly string[]> {
  const indexes = await db.all<{ name: string }>(
    "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT (indisvalid AND indisready)",
  );
  const damage = await db.all<{ failures: number }>(
    "SELECT checksum_failures AS failures FROM pg_stat_database WHERE datname = current_database() AND checksum_failures > 0",
  );
  return [
    ...indexes.map(({ name }) => `the index ${name} is not valid`),
    ...damage.map(({ failures }) => `${failures} pages failed their checksum`),
  ];
}
