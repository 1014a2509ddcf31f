/** An import that runs as a job: what it imports, and how. Stored as JSON. */
import type { ImportId } from "../access/origin.ts";
import type { ListId } from "../list.ts";
import type { SuppressionKind } from "../subscriber/subscriber.ts";
import type { UploadId } from "./upload.ts";

/** How the bytes of a table are read. null: detected. */
export interface TableFormat {
  readonly separator: string | null;
  readonly encoding: string | null;
  /** The order of day and month: of one column, or with null of all others. */
  readonly dates: readonly { readonly heading: string | null; readonly order: "dmy" | "mdy" }[];
}

/** Instead of the id of a list that does not exist yet; no list has it. */
export const PLANNED_LIST: ListId = 0;

/** What an import creates before its first row. */
export interface PlannedNames {
  /** null: the list exists. */
  readonly list: string | null;
  /** Headings of columns that become text fields of the same name. */
  readonly fields: readonly string[];
}

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
      /** Only of a dry run, which creates nothing. If the list is planned, `list` is PLANNED_LIST. */
      readonly planned?: PlannedNames;
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
  /** Somebody was erased meanwhile, who may be in the upload: it is deleted however the job ends. */
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
