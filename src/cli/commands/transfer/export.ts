/**
 * `mailroll export subscribers`: writes a list, or whom a search finds, as CSV that `import subscribers` can
 * import unchanged.
 */
import { pipeline } from "node:stream/promises";
import { exportList, exportStates, exportSubscribers } from "#admin/export.ts";
import { type Command, type Context, Failure, UsageError } from "../../kit/command.ts";
import { requireOutputFile, saveFile } from "../../kit/files.ts";
import { parseChoice, parseId } from "../../kit/parse-call.ts";
import { interruptible } from "../../kit/signals.ts";
import { outputFailure, standardOutput } from "../../kit/terminal/terminal.ts";
import { formatNumber, printable } from "../../kit/terminal/text.ts";
import { filterOptions, readFilter } from "../subscriber/list.ts";
import { parseSeparator, rowsText } from "./table-file.ts";

async function* forTerminal(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const lines of text) yield printable(lines);
}

/** A file or a pipe gets the data unchanged; a terminal gets it without control characters. */
async function print(text: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(process.stdout.isTTY ? forTerminal(text) : text, standardOutput(), { end: false });
  } catch (error) {
    const { syscall, code } = error as NodeJS.ErrnoException;
    if (syscall !== "write" && code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
    const failure = outputFailure(error as Error);
    if (failure !== null) throw failure;
  }
}

async function run(context: Context): Promise<void> {
  const { config, option, has, out } = context;
  const state = parseChoice(option("state") ?? "active", "--state", exportStates);
  const file = option("output");
  const mayReplace = has("force");
  const separator = parseSeparator(option("separator")) ?? ",";
  if (file === undefined && has("json"))
    throw new UsageError("the table is written to standard output; with --json, give --output FILE");
  if (file !== undefined)
    requireOutputFile(file, config.database, {
      otherwise: "omit --output, and redirect standard output to it",
      mayReplace,
    });
  const form = { separator, hasMark: has("bom"), isSpreadsheetSafe: has("spreadsheet-safe") };
  const exported = await exportedBy(context, state, form);
  const list = exported.list?.id ?? null;
  const startedAt = performance.now();
  let written = 0;
  const text = exported.text((rows) => {
    written = rows;
    const size = state === "active" ? (exported.list?.members ?? null) : null;
    out.progress(rowsText(rows, performance.now() - startedAt, rows, size));
  });
  try {
    if (file === undefined) await print(text);
    else
      await interruptible(new Failure(`interrupted; ${file} was not written`), (signal) =>
        saveFile(text, file, { signal, mayReplace }),
      );
  } finally {
    out.progress(null);
  }
  if (file !== undefined)
    out.result(
      { listId: list, state, rowCount: written, file },
      () =>
        `Exported ${formatNumber(written)}${state === "all" ? "" : ` ${state}`} ${list === null ? "subscribers" : `members of list ${list}`} to ${file}`,
    );
}

/** A list as a whole can also be exported by the status of its members. */
async function exportedBy(
  context: Context,
  state: (typeof exportStates)[number],
  form: { readonly separator: string; readonly hasMark: boolean; readonly isSpreadsheetSafe: boolean },
) {
  const { args, option, options, perform, performInAccount } = context;
  const list = option("list", parseId) ?? null;
  const isSearch = args[0] !== undefined || option("name") !== undefined || options("where").length > 0;
  if (list !== null && !isSearch) return await performInAccount(exportList, { list, state, ...form });
  if (state === "pending")
    throw new UsageError(
      "--state pending is about one list: give --list, and neither SEARCH, --name nor --where",
    );
  const filter = { ...(await readFilter(context, state === "all" ? null : state)), ...form };
  return { list: null, ...(await perform(exportSubscribers, filter)) };
}

export const exportCommand: Command = {
  name: "export subscribers",
  args: ["[SEARCH]"],
  options: {
    list: { value: "ID", doc: "Only members of this list. Without it, subscribers of the whole account." },
    name: filterOptions.name,
    where: filterOptions.where,
    state: {
      value: exportStates.join("|"),
      doc: "Export the subscribers in this state, pending ones, or all (default: active).",
    },
    output: {
      value: "FILE",
      doc: "The file to write. It must not exist yet; only its owner can read it (default: standard output).",
    },
    force: { doc: "Replace the file if it exists." },
    "spreadsheet-safe": {
      doc: "Prefix cells that begin with =, +, - or @ with ', so that spreadsheets do not treat them as formulas.",
    },
    separator: { value: "CHAR", doc: "The column separator, such as ';' or 'tab' (default: a comma)." },
    bom: { doc: "Begin with a byte order mark, by which spreadsheets recognise UTF-8." },
  },
  doc: "Exports subscribers as CSV, with their data: of a list, or whom a search finds.",
  details: `By default only active subscribers are exported, because such a file is often used for a mailing. With --state all,
every subscriber is exported with state and dates, and 'import subscribers' restores the same data from it.

A subscriber who has not confirmed yet is exported as 'pending', with --state pending or --state all. 'import
subscribers' rejects such a row, because a file cannot confirm for a person. A suppressed subscriber is exported with
the suppression, pending or not.

SEARCH, --name and --where are those of 'subscriber list'. Without --list, the column 'joined' is when they became subscribers.

Spreadsheets treat a cell that begins with =, +, - or @ as a formula. Give --spreadsheet-safe if the file will be
opened in a spreadsheet. Do not import such a file again: the added ' would be imported too.

Subscribers are read page by page, not as one snapshot: subscribers who are added or removed during the export may or may
not be in the file.`,
  example: "export subscribers --list 543181 --output members.csv",
  hasThreads: true,
  run,
};
