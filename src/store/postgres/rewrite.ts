/**
 * Frees the space of deleted rows and removes their values from the server's statistics, without blocking
 * others. The bytes stay in the files until something overwrites them. Only rewriting the tables would remove
 * them, and that locks the tables.
 */
import { setTimeout as delay } from "node:timers/promises";
import { StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import { text } from "../cold/kit/statement.ts";
import { tables, temporaryTables } from "../tables/tables.ts";
import type { Connection } from "./sessions/connection.ts";
import { openSession, type Session } from "./sessions/session.ts";
import { statement } from "./statement.ts";

/**
 * Waits until no transaction can see rows that were deleted before. While one can, even a rewritten table
 * keeps them.
 */
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

/** A statement that waits for a table lock blocks all later ones. */
const LOCK_MS = 2000;

/** How long to wait for transactions that can still see the deleted rows. */
const TIMEOUT_MS = 10_000;

interface RewriteOptions {
  readonly timeoutMs?: number;
  /** Ends it after the current table, unless the tables are rewritten as a whole. */
  readonly signal?: AbortSignal;
}
/** Returns false if the signal has ended it. */
export const rewrite = (
  url: string,
  isWhole: boolean,
  { timeoutMs = TIMEOUT_MS, signal }: RewriteOptions = {},
): Promise<boolean> =>
  openSession(url, async (session) => {
    const names = [...tables.map(({ name }) => name), ...temporaryTables];
    if (!isWhole) {
      const isStopped = (): boolean => signal?.aborted === true;
      for (const name of names)
        if (!isStopped()) await session.ask((db) => db.exec(`VACUUM (ANALYZE) ${name}`));
      refuseIfSkipped(session, `VACUUM (ANALYZE) ${names.join(", ")}`, TABLES_OWNER);
      // Only the database's owner may do this. Without it, a few sampled values remain in free space.
      if (!isStopped()) await session.ask((db) => db.exec("VACUUM pg_statistic"));
      await session.close();
      return !isStopped();
    }
    await session.ask((db) => db.exec(`SET lock_timeout = ${LOCK_MS}`));
    await session.ask((db) => olderSnapshotsGone(db, timeoutMs));
    await vacuum(session, `VACUUM (FULL, ANALYZE) ${names.join(", ")}`, TABLES_OWNER);
    // ANALYZE has just replaced sampled values there, which leaves deleted rows like any other.
    await session.ask((db) => olderSnapshotsGone(db, timeoutMs));
    await vacuum(session, "VACUUM (FULL) pg_statistic", "the database's owner");
    await session.close();
    return true;
  });

const TABLES_OWNER = "the tables' owner";

async function vacuum(session: Session, sql: string, owner: string): Promise<void> {
  await session.ask((db) => db.exec(sql));
  refuseIfSkipped(session, sql, owner);
}
/** The server skips what the role has no right to, and reports that in a warning. */
function refuseIfSkipped({ warnings }: Session, sql: string, owner: string): void {
  if (warnings.length > 0) throw new StoreRefused(`${warnings.join("; ")}; run as ${owner}: ${sql}`);
}
