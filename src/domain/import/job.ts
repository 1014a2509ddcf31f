/** An import that runs as a job: what it imports, and how. Stored as JSON. */
import { createHash } from "node:crypto";
import type { ImportId } from "../access/origin.ts";
import type { ListId } from "../list.ts";
import type { SuppressionKind } from "../subscriber/subscriber.ts";
import type { Imported, ImportedPerson } from "./rules.ts";
import type { UploadId } from "./upload.ts";

/**
 * How far an import got that continues after an interruption. Contains no address and no value of a row.
 */
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

/** How the bytes of a table are read. null: detected. */
export interface TableFormat {
  readonly separator: string | null;
  readonly encoding: string | null;
  /** Of a workbook, by its name. null: the first one with rows; absent in jobs of older versions. */
  readonly sheet?: string | null;
  /** The order of day and month: of one column, or with null of all others. */
  readonly dates: readonly { readonly heading: string | null; readonly order: "dmy" | "mdy" }[];
}

/** Instead of the id of a list that does not exist yet; no list has it. */
export const PLANNED_LIST: ListId = 0;

/** What a table contains. */
export type TableContents =
  | {
      readonly kind: "subscribers";
      readonly list: ListId;
      /** Whether to replace values that were not set by an import. */
      readonly overwrite: boolean;
      /** What the headings mean that are not recognised. */
      readonly map: readonly { readonly heading: string; readonly column: string }[];
      readonly ignoresUnknown: boolean;
      /** Whether a value that is not valid rejects its row; absent: the person is imported without it. */
      readonly isStrict?: boolean;
      /**
       * Whether the first row names the columns; absent: it does. Otherwise they are mapped by number, from
       * 1.
       */
      readonly hasHeader?: boolean;
      /** Only of a dry run, which creates nothing: the name of a new list; `list` is PLANNED_LIST then. */
      readonly plannedList?: string;
    }
  | {
      readonly kind: "suppressions";
      /** The kind of the rows that name none. */
      readonly as: SuppressionKind | null;
    };

export interface ImportJob {
  readonly upload: UploadId;
  readonly fileName: string;
  readonly format: TableFormat;
  readonly contents: TableContents;
  /** null: a dry run. */
  readonly batch: ImportId | null;
  /** When it was started: what the file does not date is as old as the import. */
  readonly startedAt: number;
  /** A subscriber was erased meanwhile, who may be in the upload: it is deleted however the job ends. */
  readonly deletesUpload?: true;
}

/** For people who look at the job; where it continues is stored with the rows. */
export interface ImportJobProgress {
  /** 1: the formats are being detected; 2: rows are being imported. */
  readonly pass: 1 | 2;
  readonly rows: number;
  readonly bytes: number;
}

/** One upload is imported by one job at a time. */
export const importJob = (upload: UploadId): string => `import ${upload}`;
