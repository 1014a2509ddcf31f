/** The numbered migrations of a store, read from the files of its folder: `0001-first.sql` and so on. */
import { readdirSync, readFileSync } from "node:fs";
import { OlderSchema, StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import { PROGRAM } from "#shipped.ts";
import type { UploadBounds } from "./uploads.ts";

/**
 * Only the service may migrate an older schema. Admin commands create the tables of an empty database and no
 * more.
 */
export interface OpenOptions {
  readonly mayMigrate: boolean;
  /** PostgreSQL: called before an older schema is migrated, which can take minutes on a large database. */
  readonly onMigrate?: (versions: SchemaVersions) => void;
  /**
   * If given, a PostgreSQL server that is still starting, or slow to connect to, is waited for. Called once,
   * with the reason.
   */
  readonly onWaiting?: (reason: string) => void;
  /** Whether a SQLite file is read and written in threads; else in the caller's, which then waits for it. */
  readonly hasThreads?: boolean;
  readonly uploads?: UploadBounds;
  /** For how long the ledgers of campaigns are kept. */
  readonly ledgerDays?: number;
}
export interface SchemaVersions {
  readonly from: number;
  readonly to: number;
}
export const MAY_MIGRATE: OpenOptions = { mayMigrate: true };

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** In ascending order. */
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

/** Refuses a database that a newer version has migrated: this version cannot know what it would break. */
export function refuseNewer(database: string, applied: number, newest: number): void {
  if (applied > newest)
    throw new StoreRefused(
      `${database} was written by a newer Mailroll (schema ${applied}, this version knows ${newest}); run that version, or restore a backup of this version`,
    );
}

/**
 * For a process that was running when a newer version migrated the database. Its writes may violate the newer
 * schema.
 */
export function refuseWritesToNewer(applied: number, known: number): void {
  if (applied > known)
    throw new StoreUnavailable(
      `this database was migrated by a newer Mailroll (schema ${applied}, this version knows ${known}); update this node`,
    );
}

/** For commands that must not migrate. */
export function requireCurrent(database: string, applied: number, newest: number): void {
  refuseNewer(database, applied, newest);
  if (applied === 0)
    throw new StoreRefused(`${database} contains no Mailroll data; check that it is the right database`);
  if (applied < newest)
    throw new OlderSchema(
      `${database} was written by an older Mailroll (schema ${applied}, this version needs ${newest}); start the service on it once ('${PROGRAM} serve') to migrate it`,
    );
}
