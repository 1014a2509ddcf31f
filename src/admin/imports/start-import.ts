/**
 * Imports of uploads: what a table would mean, and an import as a job. The job goes through the same code as
 * an import of the command line.
 */
import { CsvError } from "../../csv/csv-error.ts";
import { readCsv } from "../../csv/read-csv.ts";
import { actorName } from "../../domain/audit.ts";
import { noSubscriberCounts, noSuppressionCounts } from "../../domain/import-batch.ts";
import type { TableContents, TableFormat } from "../../domain/import-job.ts";
import type { Job } from "../../domain/job.ts";
import type { ImportId } from "../../domain/origin.ts";
import { collect } from "../../domain/pages.ts";
import type { Upload, UploadId } from "../../domain/upload.ts";
import { requestLease } from "../../jobs/foreground.ts";
import { columnOf, headingOf, readHeader, standardHeading } from "../../transfer/columns.ts";
import { readUpload } from "../../transfer/read-upload.ts";
import { suppressionReader } from "../../transfer/suppressions.ts";
import { IGNORE, requireColumns, resembled } from "../../transfer/table-header.ts";
import { inputOf, TableProblem } from "../../transfer/table-problem.ts";
import { action, type InAccount, type Performing } from "../action.ts";
import { InvalidInput, NotPossible } from "../errors.ts";
import { findList } from "../lists.ts";
import { tooManyJobs } from "../start-job.ts";
import { findUpload } from "../uploads.ts";

interface ImportUpload extends InAccount {
  readonly upload: UploadId;
  readonly format: TableFormat;
  readonly contents: TableContents;
}

const SAMPLE_ROWS = 10;

interface Beginning {
  readonly separator: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

async function finishedUpload(admin: Performing, { account, upload: id }: ImportUpload): Promise<Upload> {
  const upload = await findUpload.run(admin, { account, id });
  if (upload.finishedAt === null)
    throw new NotPossible(`upload ${id} is not finished; send its last part and finish it first`);
  return upload;
}

/** The first rows of the table. */
async function beginningOf({ store }: Performing, asked: ImportUpload, upload: Upload): Promise<Beginning> {
  const { account, upload: id, format } = asked;
  let separator = ",";
  const onSeparator = (found: string): void => {
    separator = found;
  };
  const options = { ...format, onSeparator };
  const rows: (readonly string[])[] = [];
  try {
    const bytes = readUpload(store.uploads, { account, id }, upload);
    for await (const some of readCsv(bytes, options)) {
      rows.push(...some.map(({ cells }) => cells));
      if (rows.length > SAMPLE_ROWS) break;
    }
  } catch (error) {
    if (error instanceof CsvError) throw new InvalidInput("upload", `cannot be read: ${error.message}`);
    throw error;
  }
  const [header] = rows;
  if (header === undefined) throw new InvalidInput("upload", "is empty");
  return { separator, header, rows: rows.slice(0, SAMPLE_ROWS + 1) };
}

/** Why the header cannot be imported as asked; null if it can. */
async function problemOf(
  { store }: Performing,
  { account, contents }: ImportUpload,
  header: readonly string[],
): Promise<TableProblem | null> {
  const fields = await collect(store.fields.all.pages({ account }));
  try {
    if (contents.kind === "suppressions") suppressionReader(contents.as, 0)(header);
    else requireColumns(header, { fields, ...contents });
    return null;
  } catch (error) {
    if (error instanceof TableProblem) return error;
    throw error;
  }
}

export interface PreviewedColumn {
  readonly heading: string;
  /** The column, or the custom field, that it is read as; null: it is not known. */
  readonly column: string | null;
  /** Of an unknown heading: the column that it probably means. */
  readonly meant: string | null;
}
interface Preview {
  readonly separator: string;
  readonly columns: readonly PreviewedColumn[];
  /** The first rows, without the header; with a table of suppressions that has none, all of them. */
  readonly rows: readonly (readonly string[])[];
  /** Why it cannot be imported as asked; null: the header is right. */
  readonly problem: { readonly input: string; readonly text: string } | null;
}

/** What the columns of a table mean, and its first rows. Changes nothing. */
export const previewImport = action(
  "import.preview",
  "editor",
  "nothing",
  async (admin, asked: ImportUpload): Promise<Preview> => {
    const { account, contents } = asked;
    const { separator, header, rows } = await beginningOf(admin, asked, await finishedUpload(admin, asked));
    const problem = await problemOf(admin, asked, header);
    const shown = problem === null ? null : { input: inputOf(problem.problem), text: problem.message };
    if (contents.kind === "suppressions") return { separator, columns: [], rows, problem: shown };
    const fields = await collect(admin.store.fields.all.pages({ account }));
    const mapped = new Map(contents.map.map(({ heading, column }) => [heading.trim().toLowerCase(), column]));
    const { unknown } = readHeader(header, fields);
    const meant = new Map(resembled(unknown, fields).map((one) => [one.heading, one.meant]));
    const columns = header.map((cell): PreviewedColumn => {
      const heading = cell.trim();
      const target = mapped.get(heading.toLowerCase());
      if (target?.toLowerCase() === IGNORE) return { heading, column: IGNORE, meant: null };
      const column = columnOf(target ?? heading, fields);
      if (column === null) return { heading, column: null, meant: meant.get(heading) ?? null };
      if (column.kind === "ignored") return { heading, column: IGNORE, meant: null };
      const name = column.kind === "field" ? headingOf(column.field, fields) : standardHeading(column);
      return { heading, column: name, meant: null };
    });
    return { separator, columns, rows: rows.slice(1), problem: shown };
  },
);

interface StartImport extends ImportUpload {
  readonly isDryRun: boolean;
}

/** Starts the job that imports an upload. `import` is null for a dry run. */
export const startImport = action(
  "import.start",
  "editor",
  "audit log",
  async (
    admin,
    asked: StartImport,
  ): Promise<{ readonly import: ImportId | null; readonly job: Job | null }> => {
    const { store, audit, actor, continueJob } = admin;
    const { account, upload: id, format, contents, isDryRun } = asked;
    const upload = await finishedUpload(admin, asked);
    const list = contents.kind === "subscribers" ? contents.list : null;
    if (list !== null) await findList.run(admin, { account, id: list });
    const { header } = await beginningOf(admin, asked, upload);
    const problem = await problemOf(admin, asked, header);
    if (problem !== null) throw new InvalidInput(inputOf(problem.problem), problem.message);
    await store.uploads.touch({ account, id, at: audit.at });
    const { name: fileName } = upload;
    const startedAt = audit.at;
    const counts = list === null ? noSuppressionCounts : noSubscriberCounts;
    const startedBy = actorName(actor.origin) ?? "";
    const started = await store.imports.startJob({
      ...{ account, at: startedAt, lease: requestLease(startedAt), audit },
      batch: isDryRun ? null : { list, fileName, startedBy, startedAt, counts },
      job: { upload: id, fileName, format, contents, startedAt },
    });
    if (started === "Running") throw new NotPossible(`upload ${id} is being imported already`);
    if (started === "TooMany") throw tooManyJobs();
    return { import: started.batch, job: await continueJob(started.lease) };
  },
);
