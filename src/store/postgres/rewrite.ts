/**
 * Frees the space of deleted rows and removes their values from the server's statistics, without blocking
 * others. The bytes stay in the files until something overwrites them. Only rewriting the tables would remove
 * them, and that locks the tables.
 */
import { StoreRefused } from "#domain/ports/errors.ts";
import { tables, temporaryTables } from "../tables/tables.ts";
import { openSession, type Session } from "./sessions/session.ts";
import { olderSnapshotsGone } from "./sessions/snapshots.ts";

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
