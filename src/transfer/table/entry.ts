/** A row of a file that was read, and where rows go that are rejected. */
import type { ImportedPerson } from "#domain/import/rules.ts";

export interface Entry {
  readonly line: number;
  readonly cells: readonly string[];
  readonly person: ImportedPerson | null;
  /** The time is null if the file has none. */
  readonly block: { readonly pattern: string; readonly at: number | null } | null;
}
/** Collects all rejected rows, also those that the reader of the file rejects. */
export interface RejectedRows {
  readonly count: number;
  add(entry: Entry, reason: string): void;
}
