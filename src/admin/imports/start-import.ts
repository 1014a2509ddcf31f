/**
 * Imports of uploads: what a table would mean, and an import as a job. The job goes through the same code as
 * an import of the command line.
 */

import { CsvError, type CsvRow } from "#csv/rows.ts";
import { actorName } from "#domain/access/audit.ts";
import type { ImportId } from "#domain/access/origin.ts";
import { noSubscriberCounts, noSuppressionCounts } from "#domain/import/batch.ts";
import type { TableContents, TableFormat } from "#domain/import/job.ts";
import type { Upload, UploadId } from "#domain/import/upload.ts";
import type { Job } from "#domain/job/job.ts";
import { collect } from "#domain/paging.ts";
import { requestLease } from "#jobs/foreground.ts";
import { readUpload } from "#transfer/import/read-upload.ts";
import { type Origin, origins } from "#transfer/origins.ts";
import {
  foundFormats,
  previewTable,
  type TableBeginning,
  type TablePreview,
} from "#transfer/preview-table.ts";
import { type ColumnTarget, columnTargets } from "#transfer/table/columns.ts";
import { inputOf, type TableProblem } from "#transfer/table/problem.ts";
import { productLabels } from "#transfer/table/products.ts";
import { firstTableRows } from "#transfer/table/read-table.ts";
import { audited, type InAccount, type Performing, query } from "../kit/action.ts";
import { InvalidInput, NotPossible } from "../kit/errors.ts";
import { requireName } from "../kit/inputs.ts";
import { tooManyJobs } from "../kit/start-job.ts";
import { findList } from "../lists.ts";
import { findUpload } from "../uploads.ts";

/**
 * What an import was asked for, kept in the result of its job: an import follows a dry run with the same
 * settings, and a form shows them again. Headings of a table are nothing about one person. If the table has
 * no header, they are the data of the first one: one of them is the address, and nothing is kept.
 */
export interface ImportSettings {
  readonly format: TableFormat;
  readonly contents: TableContents;
}

/** Of a table with very many mapped columns, nothing is kept. */
const MAX_CHARACTERS = 40_000;

/** As JSON. */
export function storedSettings({ format, contents }: ImportSettings): string | null {
  if (contents.kind === "subscribers" && contents.map.some(({ heading }) => heading.includes("@")))
    return null;
  const stored = JSON.stringify({ format, contents } satisfies ImportSettings);
  return stored.length > MAX_CHARACTERS ? null : stored;
}

/** null: they were not kept, or the job is of an older version. */
export const settingsOf = ({ result }: Pick<Job, "result">): ImportSettings | null =>
  typeof result?.settings === "string" ? (JSON.parse(result.settings) as ImportSettings) : null;

/** The first rows of an upload, and what an import would make of them. */
interface ImportUpload extends InAccount {
  readonly upload: UploadId;
  readonly format: TableFormat;
  readonly contents: TableContents;
}

/** How much of an upload is read: a request must not take long, however large the upload is. */
const MAX_BYTES = 1024 ** 2;
/**
 * Of a table with long rows, more is read; but not all of one with nothing but empty rows. A row is read to
 * its end, or until it is too long: the import would fail there. A long line is decoded as a whole, up to
 * 4 MiB.
 */
const LEAST_ROWS = 11;
const MAX_BYTES_OF_LONG_ROWS = 8 * MAX_BYTES;

async function finishedUpload(admin: Performing, { account, upload: id }: ImportUpload): Promise<Upload> {
  const upload = await findUpload.run(admin, { account, id });
  if (upload.finishedAt === null)
    throw new NotPossible(`upload ${id} is not finished; send its last part and finish it first`);
  return upload;
}

async function beginningOf(
  { store }: Performing,
  asked: ImportUpload,
  { size }: Upload,
): Promise<TableBeginning> {
  const { account, upload: id, format } = asked;
  const rows: CsvRow[] = [];
  let isWhole = true;
  let [separator, sheets]: [TableBeginning["separator"], TableBeginning["sheets"]] = [null, null];
  const options = {
    ...format,
    onSeparator: (found: string): void => {
      separator = found;
    },
    onSheets: (found: TableBeginning["sheets"]): void => {
      sheets = found;
    },
  };
  try {
    const chunks = readUpload(store.uploads, { account, id }, { size });
    for await (const { rows: some, bytes } of firstTableRows(chunks, options)) {
      rows.push(...some);
      const areLong = rows.length < LEAST_ROWS || some.length === 0;
      isWhole = bytes < (areLong ? MAX_BYTES_OF_LONG_ROWS : MAX_BYTES);
      if (!isWhole) break;
    }
  } catch (error) {
    if (error instanceof CsvError) throw new InvalidInput("upload", `cannot be read: ${error.message}`);
    throw error;
  }
  if (rows.length === 0)
    throw new InvalidInput("upload", isWhole ? "is empty" : "begins with too many empty rows; remove them");
  return { separator, sheets, rows, isWhole };
}

/** A problem of the table as one of the request. */
const invalidInput = ({ problem, message }: TableProblem): InvalidInput =>
  new InvalidInput(inputOf(problem), message);

/** Throws an error if there is no such upload, or if it is no table. */
async function inspectUpload(
  admin: Performing,
  asked: ImportUpload,
): Promise<{
  readonly upload: Upload;
  readonly preview: TablePreview;
  readonly targets: readonly ColumnTarget[];
}> {
  const upload = await finishedUpload(admin, asked);
  const beginning = await beginningOf(admin, asked, upload);
  const fields = await collect(admin.store.fields.all.pages({ account: asked.account }));
  const { contents, format } = asked;
  const preview = previewTable(beginning, { contents, dates: format.dates }, fields);
  return { upload, preview, targets: columnTargets(fields) };
}

export { foundFormats, type Origin, origins, productLabels };

export interface Preview extends Omit<TablePreview, "problem"> {
  /** What a heading may be mapped to. */
  readonly targets: readonly ColumnTarget[];
  /** What `startImport` would throw; null: the first rows are right. */
  readonly problem: InvalidInput | null;
}

/** What the columns of a table mean, and its first rows. Changes nothing. */
export const previewImport = query(
  "import.preview",
  "editor",
  async (admin, asked: ImportUpload): Promise<Preview> => {
    const { preview, targets } = await inspectUpload(admin, asked);
    return { ...preview, targets, problem: preview.problem === null ? null : invalidInput(preview.problem) };
  },
);

const notBegun = { pass: 1, rows: 0, bytes: 0 };

interface StartImport extends ImportUpload {
  readonly isDryRun: boolean;
}

/** Starts the job that imports an upload. `import` is null for a dry run. */
export const startImport = audited(
  "import.start",
  "editor",
  async (
    admin,
    asked: StartImport,
  ): Promise<{ readonly import: ImportId | null; readonly job: Job | null }> => {
    const { store, audit, actor, continueJob } = admin;
    const { account, upload: id, format, contents, isDryRun } = asked;
    const { upload, preview } = await inspectUpload(admin, asked);
    const list = contents.kind === "subscribers" ? contents.list : null;
    const plannedList = contents.kind === "subscribers" ? contents.plannedList : undefined;
    if (plannedList !== undefined && !isDryRun) throw new Error("only a dry run plans a list");
    // What would be refused when the import starts is refused before its dry run.
    if (plannedList !== undefined) requireName(plannedList);
    else if (list !== null) await findList.run(admin, { account, id: list });
    if (preview.problem !== null) throw invalidInput(preview.problem);
    await store.uploads.touch({ account, id, at: audit.at });
    const { name: fileName } = upload;
    const startedAt = audit.at;
    const counts = list === null ? noSuppressionCounts : noSubscriberCounts;
    const by = { startedBy: actorName(actor.origin) ?? "", startedKind: actor.origin.kind };
    const started = await store.imports.startJob({
      ...{ account, at: startedAt, lease: requestLease(startedAt), audit },
      batch: isDryRun ? null : { list, fileName, ...by, startedAt, counts },
      job: { upload: id, fileName, format, contents, startedAt },
      result: { upload: id, isDryRun, ...notBegun, settings: storedSettings({ format, contents }) },
    });
    if (started === "Running") throw new NotPossible(`upload ${id} is being imported already`);
    if (started === "TooMany") throw tooManyJobs();
    return { import: started.batch, job: await continueJob(started.lease) };
  },
);
