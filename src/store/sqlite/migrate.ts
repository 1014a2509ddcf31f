/**
 * Numbered migrations, each applied once, in order, in a transaction with its own record. A database that a newer
 * version has migrated further is refused: this version does not know what it would break.
 */
import { readdirSync, readFileSync } from "node:fs";
import { StoreRefused } from "../../domain/ports.ts";
import type { Connection } from "./connection.ts";

interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

const folder = new URL("./migrations/", import.meta.url);

function migrations(): readonly Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      sql: readFileSync(new URL(file, folder), "utf8"),
    }));
}

/** Brings the schema up to date; gives back its version. */
export function migrate(db: Connection, file: string, now: number): number {
  const known = migrations();
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
