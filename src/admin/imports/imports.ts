/** Imports of an account: when, by whom, and what came of them. */

import { CsvError } from "#csv/rows.ts";
import type { ImportId } from "#domain/access/origin.ts";
import { type ImportBatch, starterOf } from "#domain/import/batch.ts";
import { importJob, type TableFormat } from "#domain/import/job.ts";
import { undoableUntil, undoRefusal } from "#domain/import/undo.ts";
import type { Upload, UploadId } from "#domain/import/upload.ts";
import type { Job } from "#domain/job/job.ts";
import type { Page } from "#domain/ports/listing.ts";
import { requestLease } from "#jobs/foreground.ts";
import { readUpload, UploadGone } from "#transfer/import/read-upload.ts";
import { splitReason } from "#transfer/import/rejections.ts";
import { shorten } from "#transfer/preview-table.ts";
import { firstTableRows } from "#transfer/table/read-table.ts";
import { actorNames, type NamedActor, namedActor, namedJob } from "../actor-names.ts";
import { audited, type InAccount, type Performing, query } from "../kit/action.ts";
import { existing, NotFound, NotPossible } from "../kit/errors.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { tooManyJobs } from "../kit/start-job.ts";

export interface RecordedImport extends ImportBatch {
  readonly actor: NamedActor;
  /** The upload with the rows that it rejected; null: they are not stored. */
  readonly rejectedUpload: UploadId | null;
  /** null: it cannot be undone, or not any more. */
  readonly undoableUntilAt: number | null;
}

async function recorded(
  { store, clock }: Performing,
  { account }: InAccount,
  batches: readonly ImportBatch[],
): Promise<readonly RecordedImport[]> {
  const [names, uploads] = await Promise.all([
    actorNames(store, account, batches.map(starterOf)),
    store.uploads.all({ account }),
  ]);
  return batches.map((batch) => ({
    ...batch,
    actor: namedActor(starterOf(batch), names),
    rejectedUpload: uploads.find(({ rejectedBy }) => rejectedBy === batch.id)?.id ?? null,
    undoableUntilAt: undoableUntil(batch, clock()),
  }));
}

/** The newest first. */
export const listImports = query(
  "import.list",
  "viewer",
  async (admin, { account, ...inputs }: InAccount & PageInputs): Promise<Page<RecordedImport>> => {
    const page = await pageOf(admin.store.imports.all, { account }, inputs);
    return { ...page, rows: await recorded(admin, { account }, page.rows) };
  },
);

interface OneImport extends InAccount {
  readonly id: ImportId;
}
const importOf = async ({ store }: Performing, { account, id }: OneImport): Promise<ImportBatch> =>
  existing("import", id, await store.imports.byId({ account, id }));

export const findImport = query(
  "import.show",
  "viewer",
  async (admin, one: OneImport): Promise<RecordedImport> => {
    const [found] = await recorded(admin, one, [await importOf(admin, one)]);
    if (found === undefined) throw new NotFound("import", one.id);
    return found;
  },
);

/**
 * The rows that an import has rejected, with the reasons: so far, if it is running. They are an upload that
 * the import has written, and are deleted like one.
 */
export const readRejectedRows = query(
  "import.rejectedRows",
  "editor",
  async (
    admin,
    one: OneImport,
  ): Promise<{ readonly upload: Upload; readonly bytes: AsyncIterable<Buffer> }> => {
    const { store } = admin;
    const { account, id } = one;
    const { counts } = await importOf(admin, one);
    const upload = (await store.uploads.all({ account })).find(({ rejectedBy }) => rejectedBy === id);
    if (upload === undefined)
      throw new NotPossible(
        counts.rejected === 0
          ? `import ${id} has rejected no rows`
          : `the rows that import ${id} rejected are not stored: they are deleted after a day, and when a subscriber is erased; an import of a local file writes them to a file instead`,
      );
    const { size } = upload;
    return { upload, bytes: readUpload(store.uploads, { account, id: upload.id }, { size }) };
  },
);

interface UndoImport extends OneImport {
  readonly isDryRun: boolean;
}

/**
 * Starts the job that removes whom the import added and restores what it replaced; or that counts what would
 * be done: `job.result` says it.
 */
export const undoImport = audited(
  "import.undo",
  "editor",
  async (admin, { account, id, isDryRun }: UndoImport): Promise<{ readonly job: Job | null }> => {
    const { store, clock, actor, audit, continueJob } = admin;
    const refusal = undoRefusal(await importOf(admin, { account, id }), clock());
    if (refusal !== null) throw new NotPossible(`import ${id} ${refusal}`);
    const at = clock();
    const started = await store.imports.undo({
      ...{ account, id, isDryRun, at, audit, origin: actor.origin, lease: requestLease(at) },
    });
    if (started === "Importing")
      throw new NotPossible(`import ${id} is still running; cancel its job, or wait until it has ended`);
    if (started === "Running")
      throw new NotPossible(`import ${id} is being undone already; wait until that job has ended`);
    if (started === "Undone") throw new NotPossible(`import ${id} was undone meanwhile`);
    if (started === "TooMany") throw tooManyJobs();
    return { job: await continueJob(started) };
  },
);

/**
 * The jobs of imports: found by what they import, with the rows behind their counts. Only the newest jobs of
 * the account are looked at: an upload is kept for a day, and an import that runs is among them.
 */
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
export const findUploadJob = query(
  "import.uploadJob",
  "editor",
  (admin, { account, upload }: InAccount & { readonly upload: UploadId }) =>
    newest(admin, account, ({ name }) => name === importJob(upload)),
);

/** The job of an import. null: it is not known (any more); the command line imports without a job. */
export const findImportJob = query(
  "import.job",
  "viewer",
  (admin, { account, id }: InAccount & { readonly id: ImportId }) =>
    newest(admin, account, ({ kind, result }) => kind === "import" && result?.import === id),
);

export { splitReason };

export interface SampleRow {
  readonly line: number;
  readonly cells: readonly string[];
}
interface ReadRows extends InAccount {
  readonly upload: UploadId;
  readonly format: Omit<TableFormat, "dates">;
  /** The lines of the wanted rows; null: the first rows after the header. */
  readonly lines: readonly number[] | null;
  /** Of a table of rejected rows: also the first row of each of these. */
  readonly reasons?: readonly string[];
}
const FIRST_ROWS = 10;
/** How much of an upload is read for the rows of given lines. */
const MAX_BYTES = 4 * 1024 ** 2;

/** Some rows of an upload, as far as they are at its beginning. */
export const readRows = query(
  "import.rows",
  "editor",
  async (
    { store },
    { account, upload: id, format, lines, reasons = [] }: ReadRows,
  ): Promise<{ readonly header: readonly string[]; readonly rows: readonly SampleRow[] }> => {
    const upload = await store.uploads.byId({ account, id });
    const [wanted, without] = [new Set(lines), new Set(reasons)];
    const rows: SampleRow[] = [];
    const isWanted = ({ line, cells }: SampleRow): boolean =>
      lines === null
        ? without.delete(splitReason(cells[1] ?? "").bare) || rows.length < FIRST_ROWS
        : wanted.delete(line);
    const isDone = (): boolean =>
      wanted.size + without.size === 0 && (lines !== null || rows.length >= FIRST_ROWS);
    let header: readonly string[] = [];
    if (upload === null) return { header, rows };
    const chunks = readUpload(store.uploads, { account, id }, upload);
    try {
      for await (const { rows: some, bytes } of firstTableRows(chunks, format)) {
        for (const { line, cells } of some) {
          if (header.length === 0) {
            header = cells.map(shorten);
            if (lines === null) continue;
          }
          if (isWanted({ line, cells })) rows.push({ line, cells: cells.map(shorten) });
          if (isDone()) return { header, rows };
        }
        if (bytes > MAX_BYTES) break;
      }
    } catch (error) {
      // The rows before it are right; the page of a deleted upload shows none.
      if (!(error instanceof CsvError || error instanceof UploadGone)) throw error;
    }
    return { header, rows };
  },
);
