/** `mailroll import …`: imports subscribers and suppressions from files of another system. */

import { basename } from "node:path";
import { findImport, listImports, type RecordedImport } from "#admin/imports/imports.ts";
import { importSubscribers, importSuppressions } from "#admin/imports/run-imports.ts";
import { type ImportBatch, rowsOf } from "#domain/import/batch.ts";
import { listedSuppressions, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { Retries } from "#transfer/import/retrying-store.ts";
import { type Origin, origins } from "#transfer/origins.ts";
import { standardHeading } from "#transfer/table/columns.ts";
import { productLabels } from "#transfer/table/products.ts";
import { stateNames } from "#transfer/values/states.ts";
import type { Command, Context, Output } from "../../kit/command.ts";
import { firstRows } from "../../kit/every-page.ts";
import { choiceOf, parseId } from "../../kit/parse-call.ts";
import { moment, toTable } from "../../kit/terminal/output.ts";
import { oneLine } from "../../kit/terminal/text.ts";
import { summary } from "./import-summary.ts";
import { importUndo } from "./import-undo.ts";
import { RejectedOutput } from "./rejected-file.ts";
import {
  importFile,
  parseDates,
  parseMap,
  parseSeparator,
  type TableInput,
  tableOptions,
} from "./table-file.ts";

/** Retries of an import: each pause is reported in a line, and an interruption ends them. */
export interface ImportRetries {
  readonly retries: Retries;
  readonly onInterrupt: () => void;
}

export function importRetries(out: Output): ImportRetries {
  const interruption = new AbortController();
  const retries = new Retries({
    signal: interruption.signal,
    onPause: ({ error, ms, attempt, attempts }) => {
      out.progress(null);
      out.note(`${error.message}; retrying in ${ms / 1000} s (attempt ${attempt} of ${attempts})`);
    },
  });
  return { retries, onInterrupt: () => interruption.abort() };
}

/** `mailroll import list` and `import show`: earlier imports with their counts. */
const DEFAULT_LIMIT = "20";

const fileName = (file: string): string => (file === "-" ? "standard input" : basename(file));

const target = ({ list }: ImportBatch): string => (list === null ? "suppressions" : `list ${list}`);
const starter = ({ actor }: RecordedImport): string => actor.name ?? actor.id ?? "";
const document = ({ id, list, fileName, actor, startedAt, counts, ...batch }: RecordedImport) => ({
  ...{ id, listId: list, fileName, actor, startedAt, endedAt: batch.finishedAt, counts },
  rowCount: rowsOf(counts),
  hasRejectedRows: batch.rejectedUpload !== null,
  ...{ undoableUntilAt: batch.undoableUntilAt, undoneAt: batch.undoneAt },
});

function undoLines({ id, undoStartedAt, undoneAt }: RecordedImport): readonly string[] {
  if (undoneAt !== null) return [`Undone    ${moment(undoneAt)}`];
  return undoStartedAt === null
    ? []
    : [`Undone    only in part, since ${moment(undoStartedAt)}; for the rest, run 'import undo ${id}'`];
}

const importBatchCommands: readonly Command[] = [
  {
    name: "import list",
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
    run: async ({ option, performInAccount, out }) => {
      const limit = parseId(option("limit") ?? DEFAULT_LIMIT, "--limit");
      const { rows: batches } = await firstRows(limit, (page) => performInAccount(listImports, page));
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
                ...(batches.some(({ undoneAt }) => undoneAt !== null)
                  ? { undone: batch.undoneAt !== null }
                  : {}),
              })),
            ),
      );
    },
  },
  {
    name: "import show",
    args: ["ID"],
    doc: "Shows one import with all its counts.",
    example: "import show 1",
    run: async ({ args, performInAccount, out }) => {
      const id = parseId(args[0], "ID");
      const batch = await performInAccount(findImport, { id });
      out.result(document(batch), () =>
        [
          `Import ${batch.id} of ${oneLine(batch.fileName)} into ${target(batch)}`,
          `Started   ${moment(batch.startedAt)} by ${oneLine(starter(batch))}`,
          `Finished  ${batch.finishedAt === null ? "no: it is running, or was interrupted; the counts are those so far" : moment(batch.finishedAt)}`,
          ...undoLines(batch),
          summary("", batch.counts),
        ].join("\n"),
      );
    },
  },
];

/** What both imports have in common. */
async function prepared(context: Context) {
  const { args, option, options, has, account, out } = context;
  const [separator, dates] = [parseSeparator(option("separator")), parseDates(options("dates"))];
  const { retries, onInterrupt } = importRetries(out);
  const { id } = await retries.run(account);
  const rejected = new RejectedOutput(context);
  const asked = {
    ...{ account: id, separator, encoding: option("encoding") ?? null, sheet: option("sheet") ?? null },
    ...{ dates, retries },
    fileName: fileName(args[0] ?? "-"),
    isDryRun: has("dry-run"),
    rejections: rejected.rejections,
  };
  const run = <Result>(work: (input: TableInput) => Promise<Result>) =>
    importFile(context, rejected, onInterrupt, work);
  return { asked, rejected, run };
}

async function runSubscribers(context: Context): Promise<void> {
  const { option, options, has, perform, out } = context;
  const list = parseId(option("list"), "--list");
  const map = parseMap(options("map"));
  const { asked, rejected, run } = await prepared(context);
  const how = {
    ignoresUnknown: has("ignore-unknown"),
    isStrict: has("strict"),
    hasHeader: !has("no-header"),
  };
  const more = { list, overwrite: has("overwrite"), map, ...how };
  const imported = await run((input) => perform(importSubscribers, { ...asked, ...more, ...input }));
  const { counts, batch, rows } = imported;
  const { isDryRun, rejections } = asked;
  const { leftOut } = rejections;
  const leftOutValues = leftOut.map(({ values: valueCount, ...one }) => ({ ...one, valueCount }));
  out.result(
    { isDryRun, importId: batch, listId: list, rowCount: rows, counts, leftOutValues, rejected },
    () =>
      summary(
        isDryRun
          ? `Would import into list ${list} (${imported.list.name}):`
          : `Imported into list ${list} (${imported.list.name}) as import ${batch}:`,
        counts,
        rejections,
      ),
  );
  rejected.failWhereAny();
}

async function runSuppressions(context: Context): Promise<void> {
  const { option, perform, out } = context;
  const as = option("as", choiceOf(suppressionKinds)) ?? null;
  const { asked, rejected, run } = await prepared(context);
  const { counts, batch, rows } = await run((input) =>
    perform(importSuppressions, { ...asked, as, ...input }),
  );
  const { isDryRun, rejections } = asked;
  out.result({ isDryRun, importId: batch, rowCount: rows, counts, rejected }, () =>
    summary(isDryRun ? "Would import:" : `Imported as import ${batch}:`, counts, rejections),
  );
  rejected.failWhereAny();
}

export const commandsFrom = (files: Origin["files"]): readonly string[] =>
  files.map(({ name, as, contents }) => {
    const options = contents === "subscribers" ? " --list ID" : as === null ? "" : ` --as ${as}`;
    return `import ${contents} ${name}${options}`;
  });

/** Three lines for each origin. */
const waysHere = [
  {
    heading:
      "How to come from other products. Add --dry-run first: it shows what an import would do, and changes nothing.",
    lines: [],
  },
  ...origins.map(({ label, exported, files, states }) => {
    const lines = [`There: ${exported}`, `Here: ${commandsFrom(files).join(", then ")}`, `States: ${states}`];
    return { heading: `From ${label}`, lines: lines.map((line) => line.replaceAll("`", "'")) };
  }),
];

export const importCommands: readonly Command[] = [
  {
    name: "import subscribers",
    args: ["FILE"],
    options: {
      list: { value: "ID", required: true, doc: "The list to add the subscribers to." },
      overwrite: {
        doc: "Also replace values that were set in Mailroll by a call or by an operator.",
      },
      map: {
        value: "HEADING=COLUMN",
        repeated: true,
        doc: "Map a heading of the file to a column below, to a custom field (name or id), or to 'ignore'.",
      },
      "no-header": {
        doc: "The first row has no headings: map the columns by number, such as --map 1=email --map 2=ignore.",
      },
      "ignore-unknown": { doc: "Ignore columns with an unknown heading, instead of stopping." },
      strict: { doc: "Reject a row with a value that is not valid, instead of leaving the value out." },
      ...tableOptions,
    },
    doc: "Imports subscribers from a CSV or Excel file into a list; never clears a suppression.",
    details: `FILE is a CSV file, as spreadsheets write it, or an Excel workbook (.xlsx), of which one sheet is read; - is standard
input. Its first row names the columns (otherwise: --no-header):

  email
  first_name, last_name, gender, birthday, country
  subscribed_at
  state (${stateNames})
  ${listedSuppressions.map((kind) => standardHeading({ kind: "suppression", suppression: kind })).join(", ")}
  custom fields, by name or id

Headings are compared ignoring case, spaces, hyphens and underscores. Common headings in English, Spanish, Portuguese,
German, French, Italian and Dutch are recognised; --map maps any other, also a heading of whole names to full_name,
which splits them at the last space, to consent, where no means unsubscribed, to new_field, which creates a text field with the name of the heading, or to
json_attributes, which creates a field for each attribute of JSON objects. No heading is guessed because it looks like
another one; but a column is read as the address, state, country or gender if nearly all of its first 1,000 values are
that, and the import says so. An unknown column stops the import. In a table with at least three usual columns beside the
address, it is left out and named instead, unless its name or its values may say who must not be mailed.

Exports of ${productLabels.slice(0, -1).join(", ")} and ${productLabels.at(-1)} are recognised by their headings, and need no option: columns
and states are read as the product means them, and the import names the columns that it leaves out. Attributes as JSON
and tags become fields, which the dry run names with their types.

The file is read twice. The first pass detects for each column whether the day or the month comes first, from a date
that is unambiguous, such as 25/12/1990 or any date with dots. If a column has only ambiguous dates such as 3/4/2026, or dates in both orders,
the import stops before the first row and asks for --dates.

Subscribers who are suppressed in the file are imported with that suppression, and are not mailed. Subscribers who are
suppressed in Mailroll stay suppressed, and those who have not confirmed stay pending. If an address is in several rows, the last row counts.

An imported value fills an empty one, or replaces one from an earlier import. A value that was set in Mailroll by a call
or by an operator is kept, unless you give --overwrite. Replaced values are kept in the subscriber's history. An empty
cell never erases a value.

A value that is not valid, such as the birthday 12/31 without a year, is left out, and the person is imported without it.
It is counted by column, with the first lines. It never replaces a value that is there. Only an address, a state, and the
date of an opt-out, bounce, complaint or block have to be right: otherwise the row is rejected. With --strict, every
such value rejects its row.

Every import has a number: see 'import list' and 'import show'. Rejected rows are written with the reason to a file
beside FILE: for members.csv to members.rejected.csv, or to members.rejected-2.csv if that exists. For standard
input it is stdin.rejected.csv in the current directory. The exit code is then 1. A dry run prints the first rejected rows and writes no file.

If the database does not respond, as during a failover, the import retries for about two minutes. If an import was
interrupted, import the file again: rows that were already imported are not changed.`,
    familyDetails: waysHere,
    example: "import subscribers members.csv --list 543181 --dry-run",
    hasThreads: true,
    run: runSubscribers,
  },
  {
    name: "import suppressions",
    args: ["FILE"],
    options: {
      as: {
        value: listedSuppressions.join("|"),
        doc: "The kind of suppression, for all rows in which the file does not name it.",
      },
      ...tableOptions,
    },
    doc: "Imports addresses that must not be mailed: opt-outs, bounces, complaints, and blocked addresses or domains.",
    details: `FILE is a text file, a CSV file or an Excel workbook; - is standard input. A text file has one address per line. Instead of an address, a
line may have @ and a domain, such as @example.org, to block that domain. The first row of a CSV file names the columns:
email (or pattern), kind and date. A kind is one of ${listedSuppressions.join(", ")}. Addresses that are not subscribers yet are stored too. A
suppression that is already stored keeps its first date.`,
    example: "import suppressions optouts.txt --as unsubscribed",
    hasThreads: true,
    run: runSuppressions,
  },
  ...importBatchCommands,
  importUndo,
];
