/**
 * Frees what deleted rows take, and takes their values out of the server's statistics, while everybody works on. The bytes stay in
 * the files until something else is written in their place; only tables that are written anew, which nobody can use meanwhile, are without them.
 */
import { StoreRefused } from "../../domain/ports.ts";
import { tables } from "../tables.ts";
import { openSession, type Session } from "./session.ts";
import { olderSnapshotsGone } from "./snapshots.ts";

/** Whoever waits for a table to be free keeps all others waiting behind. */
const LOCK_MS = 2000;

/** How long to wait for those who can still see what was deleted. */
const TIMEOUT_MS = 10_000;

export const rewrite = (url: string, isWhole: boolean, timeoutMs = TIMEOUT_MS): Promise<void> =>
  openSession(url, async (session) => {
    const names = tables.map(({ name }) => name).join(", ");
    if (!isWhole) {
      await vacuum(session, `VACUUM (ANALYZE) ${names}`, TABLES_OWNER);
      // Only the database's owner may; what is left there is a few sampled values in places that are free.
      await session.ask((db) => db.exec("VACUUM pg_statistic"));
      return session.close();
    }
    await session.ask((db) => db.exec(`SET lock_timeout = ${LOCK_MS}`));
    await session.ask((db) => olderSnapshotsGone(db, timeoutMs));
    await vacuum(session, `VACUUM (FULL, ANALYZE) ${names}`, TABLES_OWNER);
    // The analysis has just replaced sampled values there, which are deleted rows like others.
    await session.ask((db) => olderSnapshotsGone(db, timeoutMs));
    await vacuum(session, "VACUUM (FULL) pg_statistic", "the database's owner");
    return session.close();
  });

const TABLES_OWNER = "the tables' owner";

/** The server passes over what the user may not do, and says so in a warning. */
async function vacuum(session: Session, sql: string, owner: string): Promise<void> {
  await session.ask((db) => db.exec(sql));
  if (session.warnings.length > 0)
    throw new StoreRefused(`${session.warnings.join("; ")}; let ${owner} run: ${sql}`);
}
