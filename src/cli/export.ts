/** `mailroll export subscribers`: a list as a table that `import subscribers` reads back to the same. */
import { pipeline } from "node:stream/promises";
import { csvLine } from "../csv/write-csv.ts";
import type { Field } from "../domain/field.ts";
import { collect } from "../domain/pages.ts";
import type { Member } from "../domain/ports.ts";
import { memberHeader, memberRow } from "../transfer/members.ts";
import { parseId } from "./arguments.ts";
import { type Command, type Context, Failure, UsageError } from "./command.ts";
import { requireOutputFile } from "./output-file.ts";
import { count } from "./progress-text.ts";
import { saveFile } from "./save-file.ts";
import { interruptible } from "./signals.ts";
import { outputFailure, standardOutput } from "./standard-output.ts";
import { parseSeparator, rowsText } from "./table-file.ts";
import { printable } from "./terminal-text.ts";

interface Table {
  readonly fields: readonly Field[];
  readonly separator: string;
  readonly mark: string;
  readonly onRows: (rows: number) => void;
}

async function* textOf(
  pages: AsyncIterable<readonly Member[]>,
  { fields, separator, mark, onRows }: Table,
): AsyncGenerator<string> {
  let rows = 0;
  yield mark + csvLine(memberHeader(fields), separator);
  for await (const page of pages) {
    yield page.map((member) => csvLine(memberRow(member, fields), separator)).join("");
    rows += page.length;
    onRows(rows);
  }
}

async function* forTerminal(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const lines of text) yield printable(lines);
}

/** To a file or a pipe the data goes as it is; to a terminal, what would control it does not. */
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

async function run({ config, option, has, store, account, out }: Context): Promise<void> {
  const list = parseId(option("list"), "--list");
  const file = option("output");
  const separator = parseSeparator(option("separator")) ?? ",";
  if (file === undefined && has("json"))
    throw new UsageError("the table goes to standard output; give --output FILE with --json");
  if (file !== undefined)
    requireOutputFile(file, config.database, "leave --output out, and redirect standard output to it");
  const { id } = await account();
  const opened = await store();
  const lists = await collect(opened.pages("lists", { account: id }));
  const found = lists.find((one) => one.id === list);
  if (found === undefined) throw new Failure(`there is no list ${list}; see 'mailroll list list'`);
  const startedAt = performance.now();
  let written = 0;
  const text = textOf(opened.pages("members", { account: id, list }), {
    fields: await collect(opened.pages("fields", { account: id })),
    separator,
    mark: has("bom") ? "\ufeff" : "",
    onRows: (rows) => {
      written = rows;
      out.progress(rowsText(rows, performance.now() - startedAt, rows, found.members));
    },
  });
  try {
    if (file === undefined) await print(text);
    else
      await interruptible(new Failure(`interrupted; ${file} was not written`), (signal) =>
        saveFile(text, file, signal),
      );
  } finally {
    out.progress(null);
  }
  if (file !== undefined)
    out.result(
      { list, rows: written, file },
      () => `Exported ${count(written)} members of list ${list} to ${file}`,
    );
}

export const exportCommand: Command = {
  name: "export subscribers",
  args: [],
  options: {
    list: { value: "ID", required: true, doc: "The list whose members are wanted." },
    output: {
      value: "FILE",
      doc: "Where the table goes, readable by its owner only: a new file, or a regular one to replace (standard output).",
    },
    separator: { value: "CHAR", doc: "What stands between cells, such as ';' or 'tab' (a comma)." },
    bom: { doc: "Begin with the mark by which spreadsheets know UTF-8." },
  },
  doc: "Writes the members of a list as a table, those held back too; 'import subscribers' reads it back to the same.",
  details: `In a file or a pipe nothing is altered, so a name that begins with =, +, - or @ is a formula to a spreadsheet: import the table there as text. The
list is read page by page and is not one snapshot: people who come or go meanwhile may or may not be in it.`,
  example: "export subscribers --list 543181 --output members.csv",
  inAccount: true,
  run,
};
