/**
 * Waits until no transaction can see rows that were deleted before. While one can, even a rewritten table
 * keeps them.
 */
import { setTimeout as delay } from "node:timers/promises";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { text } from "../../cold/kit/statement.ts";
import { statement } from "../statement.ts";
import type { Connection } from "./connection.ts";

const POLL_MS = 100;

/** Transaction ids wrap around, so their ages are compared. */
const isOlder = (xid: string): string => `age(${xid}) > age($1::text::xid)`;

/**
 * A writing transaction counts in any database of the server, because every snapshot taken meanwhile, even
 * that of a VACUUM FULL, goes back to it. A snapshot counts only in this database, or if it is of a standby.
 * That of a plain VACUUM keeps no rows. All roles can read these columns for every session.
 */
const HOLDERS = statement(
  { holder: text },
  `SELECT 'session ' || pid || coalesce(' of ' || usename, '') AS holder
   FROM pg_stat_activity
   WHERE pid <> pg_backend_pid() AND (
     ${isOlder("backend_xid")}
     OR ${isOlder("backend_xmin")} AND (datid IS NULL OR datname = current_database())
       AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
   )
   UNION ALL
   SELECT 'replication slot ' || slot_name FROM pg_replication_slots
   WHERE ${isOlder("xmin")} OR ${isOlder("catalog_xmin")}
   UNION ALL
   SELECT 'prepared transaction ' || quote_literal(gid) FROM pg_prepared_xacts
   WHERE ${isOlder("transaction")}`,
);
const NEXT_TRANSACTION = statement(
  { id: text },
  "SELECT pg_snapshot_xmax(pg_current_snapshot())::xid::text AS id",
);

export async function olderSnapshotsGone(db: Connection, timeoutMs: number): Promise<void> {
  const next = (await db.get(NEXT_TRANSACTION))?.id ?? "";
  const holders = () => db.all(HOLDERS, next);
  const deadline = performance.now() + timeoutMs;
  for (let found = await holders(); found.length > 0; found = await holders()) {
    if (performance.now() >= deadline)
      throw new StoreUnavailable(
        `${found.map(({ holder }) => holder).join(", ")} can still see deleted rows, because of a transaction that began before the deletion; end it`,
      );
    await delay(POLL_MS);
  }
}
