/**
 * How far an import got that continues after an interruption. Contains no address and no value of a row.
 */
import { createHash } from "node:crypto";
import type { ImportId } from "../access/origin.ts";
import type { Imported, ImportedPerson } from "./rules.ts";

export interface ImportProgress {
  /** How often it was saved. */
  readonly version: number;
  /** Of the file. */
  readonly rows: number;
  /** What else is needed to continue: a JSON object. Only the import knows it, except for `created`. */
  readonly state: string;
}

/**
 * The part of the state that is known only when the rows are saved: hashes of subscribers whom a row created
 * that a later row of the file replaces. That later row does not count as an update.
 */
export interface CreatedByFile {
  readonly created: readonly string[];
}

/** A file with more such rows than this is no ordinary one; their later rows count as updates. */
const MAX_CREATED = 1000;
const HASH_LENGTH = 12;

/** Different in every import. */
export const hashIn = (batch: ImportId | null, addressKey: string): string =>
  createHash("sha256").update(`${batch} ${addressKey}`).digest("base64url").slice(0, HASH_LENGTH);

export function withCreated(
  progress: ImportProgress,
  batch: ImportId,
  people: readonly ImportedPerson[],
  results: readonly Imported[],
): ImportProgress {
  const more = people
    .filter((_, index) => results[index]?.outcome === "Duplicate" && results[index].isNew)
    .map(({ address }) => hashIn(batch, address.key));
  if (more.length === 0) return progress;
  const state = JSON.parse(progress.state) as CreatedByFile;
  const created = [...state.created, ...more].slice(0, MAX_CREATED);
  return { ...progress, state: JSON.stringify({ ...state, created }) };
}
