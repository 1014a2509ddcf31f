/** What a thread of the SQLite store is given, and what it reports when its database is open. */
import type { Retention } from "#domain/refused-call.ts";
import type { FileIdentities } from "../file/database-file.ts";

export interface ThreadData {
  readonly file: string;
  readonly retention: Retention;
  readonly ledgerDays: number;
  readonly mayMigrate: boolean;
  /** Whether other threads go first when processors are busy. */
  readonly isLowPriority?: boolean;
  /**
   * The identities of the files, once the first thread has opened them. Every other thread must open the same
   * files.
   */
  files: FileIdentities | null;
}
export interface OpenedDatabase {
  readonly schemaVersion: number;
  readonly files: FileIdentities;
}
