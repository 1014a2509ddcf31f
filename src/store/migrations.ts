/** The numbered migrations of a store, from the files of its folder: `0001-first.sql` and so on. */
import { readdirSync, readFileSync } from "node:fs";
import { StoreRefused, StoreUnavailable } from "../domain/ports.ts";

/** Who may bring an older schema up to date: the service; commands only make the tables of an empty database. */
export interface OpenOptions {
  readonly mayMigrate: boolean;
}
export const MAY_MIGRATE: OpenOptions = { mayMigrate: true };

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** In order. */
export const readMigrations = (folder: URL): readonly Migration[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => ({
      number: Number(file.slice(0, 4)),
      name: file.slice(5, -4),
      sql: readFileSync(new URL(file, folder), "utf8"),
    }));

export const newestOf = (known: readonly Migration[]): number => known.at(-1)?.number ?? 0;

/** A database that a newer version has migrated further: this version does not know what it would break. */
export function refuseNewer(database: string, applied: number, newest: number): void {
  if (applied > newest)
    throw new StoreRefused(
      `${database} was written by a newer Mailroll (schema ${applied}, this one knows ${newest}); run that version, or restore a backup`,
    );
}

/**
 * For a process that was running when a newer version migrated the database: what it would write may be what the newer
 * version has come to forbid.
 */
export function refuseWritesToNewer(applied: number, known: number): void {
  if (applied > known)
    throw new StoreUnavailable(
      `this database was migrated by a newer Mailroll (schema ${applied}, this one knows ${known}); update this node`,
    );
}

/** For those who must not migrate. */
export function requireCurrent(database: string, applied: number, newest: number): void {
  refuseNewer(database, applied, newest);
  if (applied === 0) throw new StoreRefused(`${database} holds no data of Mailroll; is it the right one?`);
  if (applied < newest)
    throw new StoreRefused(
      `${database} was written by an older Mailroll (schema ${applied}, this one needs ${newest}); start the service on it once ('mailroll serve'), which brings it up to date`,
    );
}
