/** `mailroll import list` and `import show`: earlier imports with their counts. */
import { basename } from "node:path";
import { findImport, listImports, type RecordedImport } from "#admin/imports/imports.ts";
import { type ImportBatch, rowsOf } from "#domain/import/batch.ts";
import { parseId } from "../../kit/arguments/arguments.ts";
import type { Command } from "../../kit/command.ts";
import { firstRows } from "../../kit/every-page.ts";
import { moment, toTable } from "../../kit/terminal/output.ts";
import { oneLine } from "../../kit/terminal/terminal-text.ts";
import { summary } from "./import-summary.ts";

const DEFAULT_LIMIT = "20";

export const fileName = (file: string): string => (file === "-" ? "standard input" : basename(file));

const target = ({ list }: ImportBatch): string => (list === null ? "suppressions" : `list ${list}`);
const starter = ({ actor }: RecordedImport): string => actor.name ?? actor.id ?? "";
const document = ({ id, list, fileName, actor, startedAt, counts, ...batch }: RecordedImport) => ({
  ...{ id, listId: list, fileName, actor, startedAt, endedAt: batch.finishedAt, counts },
  rowCount: rowsOf(counts),
  hasRejectedRows: batch.rejectedUpload !== null,
});

export const importBatchCommands: readonly Command[] = [
  {
    name: "import list",
    args: [],
    options: {
      limit: {
        value: "N",
        doc: `Maximum number of imports to show, newest first (default: ${DEFAULT_LIMIT}).`,
      },
    },
    doc: "Lists the imports: time, user, file, and whether each one finished.",
    details:
      "An unfinished import is still running, or was interrupted. If it was interrupted, import the file again.",
    example: "import list",
    inAccount: true,
    run: async ({ option, perform, account, out }) => {
      const limit = parseId(option("limit") ?? DEFAULT_LIMIT, "--limit");
      const { id } = await account();
      const { rows: batches } = await firstRows(limit, (page) =>
        perform(listImports, { account: id, ...page }),
      );
      out.result(batches.map(document), () =>
        batches.length === 0
          ? "There are no imports yet."
          : toTable(
              batches.map((batch) => ({
                id: batch.id,
                startedAt: batch.startedAt,
                by: starter(batch),
                into: target(batch),
                file: batch.fileName,
                rows: rowsOf(batch.counts),
                finished: batch.finishedAt !== null,
              })),
            ),
      );
    },
  },
  {
    name: "import show",
    args: ["ID"],
    options: {},
    doc: "Shows one import with all its counts.",
    example: "import show 1",
    inAccount: true,
    run: async ({ args, perform, account, out }) => {
      const id = parseId(args[0], "ID");
      const batch = await perform(findImport, { account: (await account()).id, id });
      out.result(document(batch), () =>
        [
          `Import ${batch.id} of ${oneLine(batch.fileName)} into ${target(batch)}`,
          `Started   ${moment(batch.startedAt)} by ${oneLine(starter(batch))}`,
          `Finished  ${batch.finishedAt === null ? "no: it is running, or was interrupted; the counts are those so far" : moment(batch.finishedAt)}`,
          summary("", batch.counts),
        ].join("\n"),
      );
    },
  },
];
