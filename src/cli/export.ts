/** `mailroll export subscribers`: a list as a table that `import subscribers` reads back to the same. */
import { pipeline } from "node:stream/promises";
import { csvLine, disarmed } from "../csv/write-csv.ts";
import type { Field } from "../domain/field.ts";
import { collect } from "../domain/pages.ts";
import type { Member } from "../domain/ports.ts";
import { stateOf } from "../domain/subscriber.ts";
import { memberHeader, memberRow } from "../transfer/members.ts";
import { parseChoice, parseId } from "./arguments.ts";
import { type Command, type Context, Failure, notFound, UsageError } from "./command.ts";
import { formatNumber } from "./numbers.ts";
import { requireOutputFile } from "./output-file.ts";
import { saveFile } from "./save-file.ts";
import { interruptible } from "./signals.ts";
import { outputFailure, standardOutput } from "./standard-output.ts";
import { parseSeparator, rowsText } from "./table-file.ts";
import { printable } from "./terminal-text.ts";

const states = ["active", "unsubscribed", "bounced", "complained", "blocked", "all"] as const;

interface Table {
  readonly fields: readonly Field[];
  readonly isWanted: (member: Member) => boolean;
  /** Each cell as it is written. */
  readonly cell: (text: string) => string;
  readonly separator: string;
  readonly mark: string;
  readonly onRows: (rows: number) => void;
}

async function* textOf(
  pages: AsyncIterable<readonly Member[]>,
  { fields, isWanted, cell, separator, mark, onRows }: Table,
): AsyncGenerator<string> {
  const line = (cells: readonly string[]): string => csvLine(cells.map(cell), separator);
  let rows = 0;
  yield mark + line(memberHeader(fields));
  for await (const page of pages) {
    const wanted = page.filter(isWanted);
    yield wanted.map((member) => line(memberRow(member, fields))).join("");
    rows += wanted.length;
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
  const state = parseChoice(option("state") ?? "active", "--state", states);
  const file = option("output");
  const mayReplace = has("force");
  const separator = parseSeparator(option("separator")) ?? ",";
  if (file === undefined && has("json"))
    throw new UsageError("the table goes to standard output; give --output FILE with --json");
  if (file !== undefined)
    requireOutputFile(file, config.database, {
      otherwise: "leave --output out, and redirect standard output to it",
      mayReplace,
    });
  const { id } = await account();
  const opened = await store();
  const lists = await collect(opened.pages("lists", { account: id }));
  const found = lists.find((one) => one.id === list);
  if (found === undefined) throw notFound("list", list);
  const startedAt = performance.now();
  let written = 0;
  const text = textOf(opened.pages("members", { account: id, list }), {
    fields: await collect(opened.pages("fields", { account: id })),
    isWanted: ({ suppressions }) => state === "all" || stateOf(suppressions) === state,
    cell: has("spreadsheet-safe") ? disarmed : (cell) => cell,
    separator,
    mark: has("bom") ? "\ufeff" : "",
    onRows: (rows) => {
      written = rows;
      const size = state === "active" ? found.members : null;
      out.progress(rowsText(rows, performance.now() - startedAt, rows, size));
    },
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
      { list, state, rows: written, file },
      () =>
        `Exported ${formatNumber(written)}${state === "all" ? "" : ` ${state}`} members of list ${list} to ${file}`,
    );
}

export const exportCommand: Command = {
  name: "export subscribers",
  args: [],
  options: {
    list: { value: "ID", required: true, doc: "The list whose members are wanted." },
    state: {
      value: states.join("|"),
      doc: "Whom: those in this state, or everybody on the list (active).",
    },
    output: {
      value: "FILE",
      doc: "Where the table goes, a new file that only its owner may read (standard output).",
    },
    force: { doc: "Replace the file if there is one." },
    "spreadsheet-safe": {
      doc: "Put ' before cells that begin with =, +, - or @, so that no spreadsheet takes them for formulas.",
    },
    separator: { value: "CHAR", doc: "What stands between cells, such as ';' or 'tab' (a comma)." },
    bom: { doc: "Begin with the mark by which spreadsheets know UTF-8." },
  },
  doc: "Writes the members of a list as a table, with what is known about them.",
  details: `Only active members are written, because such a file goes into a sending tool. With --state all, everybody is
written with state and dates, and 'import subscribers' reads the table back to the same.

A cell that begins with =, +, - or @ is a formula to a spreadsheet. Give --spreadsheet-safe for a table that people
open in one; do not import that table again, because it then holds the ' as well.

The list is read page by page and is not one snapshot: people who come or go meanwhile may or may not be in it.`,
  example: "export subscribers --list 543181 --output members.csv",
  inAccount: true,
  run,
};
