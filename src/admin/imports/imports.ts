/** Imports of an account: when, by whom, and what came of them. */

import { readCsv } from "#csv/read-csv.ts";
import { CsvError } from "#csv/rows.ts";
import { originOfActor } from "#domain/access/audit.ts";
import type { ImportId, Origin } from "#domain/access/origin.ts";
import type { ImportBatch } from "#domain/import/batch.ts";
import { importJob, type TableFormat } from "#domain/import/job.ts";
import type { Upload, UploadId } from "#domain/import/upload.ts";
import type { Job } from "#domain/job/job.ts";
import type { Page } from "#domain/ports/listing.ts";
import { readUpload, UploadGone } from "#transfer/import/read-upload.ts";
import { actorNames, type NamedActor, namedActor, namedJob } from "../actor-names.ts";
import { type InAccount, type Performing, query } from "../kit/action.ts";
import { existing, NotFound, NotPossible } from "../kit/errors.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";

export interface RecordedImport extends ImportBatch {
  readonly actor: NamedActor;
  /** The upload with the rows that it rejected; null: they are not stored. */
  readonly rejectedUpload: UploadId | null;
}

const originOf = ({ startedKind: kind, startedBy }: ImportBatch): Origin =>
  originOfActor({ kind, name: startedBy === "" ? null : startedBy }) ?? { kind: "operator" };

async function recorded(
  { store }: Performing,
  { account }: InAccount,
  batches: readonly ImportBatch[],
): Promise<readonly RecordedImport[]> {
  const [names, uploads] = await Promise.all([
    actorNames(store, account, batches.map(originOf)),
    store.uploads.all({ account }),
  ]);
  return batches.map((batch) => ({
    ...batch,
    actor: namedActor(originOf(batch), names),
    rejectedUpload: uploads.find(({ rejectedBy }) => rejectedBy === batch.id)?.id ?? null,
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

export interface SampleRow {
  readonly line: number;
  readonly cells: readonly string[];
}
interface ReadRows extends InAccount {
  readonly upload: UploadId;
  readonly format: Pick<TableFormat, "separator" | "encoding">;
  /** The lines of the wanted rows; null: the first rows after the header. */
  readonly lines: readonly number[] | null;
}
const FIRST_ROWS = 10;
/** How much of an upload is read for the rows of given lines. */
const MAX_BYTES = 4 * 1024 ** 2;
const MAX_CHARACTERS = 200;

/** Some rows of an upload, as far as they are at its beginning. */
export const readRows = query(
  "import.rows",
  "editor",
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
