/**
 * Frees the space of deleted rows and removes their values from the server's statistics, without blocking
 * others. The bytes stay in the files until something overwrites them. Only rewriting the tables would remove
 * them, and that locks the tables.
 */
import { StoreRefused } from "../../domain/ports/errors.ts";
import { tables, temporaryTables } from "../tables/tables.ts";
import { openSession, type Session } from "./sessions/session.ts";
import { olderSnapshotsGone } from "./sessions/snapshots.ts";

/** A statement that waits for a table lock blocks all later ones. */
const LOCK_MS = 2000;

/** How long to wait for transactions that can still see the deleted rows. */
const TIMEOUT_MS = 10_000;

export const rewrite = (url: string, isWhole: boolean, timeoutMs = TIMEOUT_MS): Promise<void> =>
  openSession(url, async (session) => {
    const names = [...tables.map(({ name }) => name), ...temporaryTables].join(", ");
    if (!isWhole) {
      await vacuum(session, `VACUUM (ANALYZE) ${names}`, TABLES_OWNER);
      // Only the database's owner may do this. Without it, a few sampled values remain in free space.
      await session.ask((db) => db.exec("VACUUM pg_statistic"));
      return session.close();
    }
    await session.ask((db) => db.exec(`SET lock_timeout = ${LOCK_MS}`));
    await session.ask((db) => olderSnapshotsGone(db, timeoutMs));
    await vacuum(session, `VACUUM (FULL, ANALYZE) ${names}`, TABLES_OWNER);
    // ANALYZE has just replaced sampled values there, which leaves deleted rows like any other.
    await session.ask((db) => olderSnapshotsGone(db, timeoutMs));
    await vacuum(session, "VACUUM (FULL) pg_statistic", "the database's owner");
    return session.close();
  });

const TABLES_OWNER = "the tables' owner";

/** The server skips what the role has no right to, and reports that in a warning. */
async function vacuum(session: Session, sql: string, owner: string): Promise<void> {
  await session.ask((db) => db.exec(sql));
  if (session.warnings.length > 0)
    throw new StoreRefused(`${session.warnings.join("; ")}; run as ${owner}: ${sql}`);
}
