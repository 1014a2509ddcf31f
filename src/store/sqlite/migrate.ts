/**
 * Numbered migrations, each applied once, in order, in a transaction with its own record. A database that a newer
 * version has migrated further is refused: this version does not know what it would break.
 */
import { StoreRefused } from "../../domain/ports.ts";
import { readMigrations } from "../migrations.ts";
import type { Connection } from "./connection.ts";

const folder = new URL("./migrations/", import.meta.url);

/** Brings the schema up to date; gives back its version. */
export function migrate(db: Connection, file: string, now: number): number {
  const known = readMigrations(folder);
  const newest = known.at(-1)?.number ?? 0;
  db.exec(
    "CREATE TABLE IF NOT EXISTS schema_migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
  );
  for (const { number, name, sql } of known)
    db.transaction(() => {
      const applied = db.get<{ n: number }>("SELECT max(number) AS n FROM schema_migration")?.n ?? 0;
      if (applied > newest)
        throw new StoreRefused(
          `${file} was written by a newer Mailroll (schema ${applied}, this one knows ${newest}); run that version, or restore a backup`,
        );
      if (number <= applied) return;
      db.exec(sql);
      db.run("INSERT INTO schema_migration (number, name, applied_at) VALUES (?, ?, ?)", number, name, now);
    });
  return newest;
}
