/**
 * The jobs of imports: found by what they import, with the rows behind their counts. Only the newest jobs of
 * the account are looked at: an upload is kept for a day, and an import that runs is among them.
 */
import { CsvError } from "#csv/csv-error.ts";
import { readCsv } from "#csv/read-csv.ts";
import type { ImportId } from "#domain/access/origin.ts";
import type { TableFormat } from "#domain/import/job.ts";
import { importJob } from "#domain/import/job.ts";
import type { UploadId } from "#domain/import/upload.ts";
import type { Job } from "#domain/job/job.ts";
import { readUpload, UploadGone } from "#transfer/import/read-upload.ts";
import { namedJob } from "../jobs/named-jobs.ts";
import { action, type InAccount, type Performing } from "../kit/action.ts";

const NEWEST_JOBS = 200;

async function newest(
  { store }: Performing,
  account: number,
  isWanted: (job: Job) => boolean,
): Promise<Job | null> {
  const { rows } = await store.jobs.all.page({ account }, { after: null, limit: NEWEST_JOBS });
  const found = rows.find(isWanted);
  return found === undefined ? null : await namedJob(store, found);
}

/** The newest job that has read the upload: a dry run or an import. null: none has. */
export const findUploadJob = action(
  "import.uploadJob",
  "editor",
  "nothing",
  (admin, { account, upload }: InAccount & { readonly upload: UploadId }) =>
    newest(admin, account, ({ name }) => name === importJob(upload)),
);

/** The job of an import. null: it is not known (any more); the command line imports without a job. */
export const findImportJob = action(
  "import.job",
  "viewer",
  "nothing",
  (admin, { account, id }: InAccount & { readonly id: ImportId }) =>
    newest(admin, account, ({ kind, result }) => kind === "import" && result?.import === id),
);

export interface SampleRow {
  readonly line: number;
  readonly cells: readonly string[];
}
interface ReadRows extends InAccount {
  readonly upload: UploadId;
  readonly format: Pick<TableFormat, "separator" | "encoding">;
  /** Those of the rows; null: of the first rows after the header. */
  readonly lines: readonly number[] | null;
}
const FIRST_ROWS = 10;
/** How much of an upload is read for the rows of given lines. */
const MAX_BYTES = 4 * 1024 ** 2;
const MAX_CHARACTERS = 200;

/** Some rows of an upload, as far as they are at its beginning. */
export const readRows = action(
  "import.rows",
  "editor",
  "nothing",
  async (
    { store },
    { account, upload: id, format, lines }: ReadRows,
  ): Promise<{ readonly header: readonly string[]; readonly rows: readonly SampleRow[] }> => {
    const upload = await store.uploads.byId({ account, id });
    const wanted = new Set(lines);
    const last = lines === null ? Infinity : Math.max(0, ...lines);
    const rows: SampleRow[] = [];
    let header: readonly string[] = [];
    if (upload === null) return { header, rows };
    const size = Math.min(upload.size, MAX_BYTES);
    try {
      for await (const some of readCsv(readUpload(store.uploads, { account, id }, { size }), format))
        for (const { line, cells } of some) {
          if (header.length === 0) {
            header = cells.map(shorten);
            if (lines === null) continue;
          }
          if (lines === null || wanted.has(line)) rows.push({ line, cells: cells.map(shorten) });
          if (line >= last || rows.length >= (lines?.length ?? FIRST_ROWS)) return { header, rows };
        }
    } catch (error) {
      // The rows before it are right; the page of a deleted upload shows none.
      if (!(error instanceof CsvError || error instanceof UploadGone)) throw error;
    }
    return { header, rows };
  },
);

const shorten = (cell: string): string =>
  cell.length > MAX_CHARACTERS ? `${cell.slice(0, MAX_CHARACTERS)}…` : cell;
