/** What the doctor asks: kept numbers against a recount, and what the server knows to be wrong with its files. */
import type { Recount } from "../../domain/ports.ts";
import type { Connection } from "./connection.ts";

export async function ping(db: Connection): Promise<null> {
  await db.get("SELECT 1 AS one FROM account LIMIT 1");
  return null;
}

const ACTIVE =
  "s.unsubscribed_at IS NULL AND s.bounced_at IS NULL AND s.complained_at IS NULL AND s.blocked_at IS NULL";

/** One statement, so one moment: other nodes may be writing. */
export const recount = (db: Connection): Promise<readonly Recount[]> =>
  db.all<Recount>(
    `SELECT what, kept, counted FROM (
       SELECT 1 AS part, id, 'active subscribers of account ' || id AS what, active_subscribers AS kept, (SELECT count(*) FROM subscriber AS s WHERE s.account_id = account.id AND ${ACTIVE}) AS counted FROM account
       UNION ALL
       SELECT 2, id, 'refused calls of account ' || id, refused_rows, (SELECT count(*) FROM refused AS r WHERE r.account_id = account.id) FROM account
       UNION ALL
       SELECT 3, l.id, 'members of list ' || l.id, member_count, (SELECT count(*) FROM membership AS m JOIN subscriber AS s ON s.account_id = m.account_id AND s.id = m.subscriber_id WHERE m.account_id = l.account_id AND m.list_id = l.id AND ${ACTIVE}) FROM list AS l
     ) AS number ORDER BY part, id`,
  );

/** Checking every page is the server's own job (`pg_amcheck`, data checksums); this is what it has noticed. */
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
