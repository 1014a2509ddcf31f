/** The first rows of an upload, and what an import would make of them. */
import { CsvError } from "#csv/csv-error.ts";
import type { CsvRow } from "#csv/rows.ts";
import type { TableContents, TableFormat } from "#domain/import/job.ts";
import type { Upload, UploadId } from "#domain/import/upload.ts";
import { collect } from "#domain/paging/pages.ts";
import { readUpload } from "#transfer/import/read-upload.ts";
import { previewTable, type TableBeginning, type TablePreview } from "#transfer/preview-table.ts";
import { type ColumnTarget, columnTargets } from "#transfer/table/columns.ts";
import { inputOf, type TableProblem } from "#transfer/table/problem.ts";
import { tableRows } from "#transfer/table/read-table.ts";
import type { InAccount, Performing } from "../kit/action.ts";
import { InvalidInput, NotPossible } from "../kit/errors.ts";
import { findUpload } from "../uploads.ts";

export interface ImportUpload extends InAccount {
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
  let [separator, bytes, isWhole] = [",", 0, true];
  const options = {
    ...format,
    onSeparator: (found: string): void => {
      separator = found;
    },
  };
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of readUpload(store.uploads, { account, id }, { size })) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  try {
    for await (const some of tableRows(counted(), options)) {
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
  return { separator, rows, isWhole };
}

/** A problem of the table as one of the request. */
export const invalidInput = ({ problem, message }: TableProblem): InvalidInput =>
  new InvalidInput(inputOf(problem), message);

/** Throws an error if there is no such upload, or if it is no table. */
export async function inspectUpload(
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
