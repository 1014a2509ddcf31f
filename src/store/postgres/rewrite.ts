/**
 * Frees what deleted rows take, and takes their values out of the server's statistics, while everybody works on. The bytes stay in
 * the files until something else is written in their place; only tables that are written anew, which nobody can use meanwhile, are without them.
 */
import { StoreRefused } from "../../domain/ports.ts";
import { tables } from "../tables.ts";
import { openSession } from "./session.ts";

/** Whoever waits for a table to be free keeps all others waiting behind. */
const LOCK_MS = 2000;

export const rewrite = (url: string, isWhole: boolean): Promise<void> =>
  openSession(url, async (session) => {
    const names = tables.map(({ name }) => name).join(", ");
    const vacuum = `VACUUM (${isWhole ? "FULL, " : ""}ANALYZE) ${names}`;
    if (isWhole) await session.ask((db) => db.exec(`SET lock_timeout = ${LOCK_MS}`));
    await session.ask((db) => db.exec(vacuum));
    // The server passes over what the user may not do, and says so in passing.
    if (session.warnings.length > 0)
      throw new StoreRefused(`${session.warnings.join("; ")}; let the tables' owner run: ${vacuum}`);
    // Only the database's owner may; what is left there is a few sampled values in places that are free.
    await session.ask((db) => db.exec(`VACUUM ${isWhole ? "(FULL) " : ""}pg_statistic`));
    await session.close();
  });
