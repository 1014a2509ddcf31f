/** `mailroll import …`: imports subscribers and suppressions from files of another system. */
import { collect } from "../../../domain/pages.ts";
import { listedSuppressions } from "../../../domain/subscriber.ts";
import { dateColumns, standardHeading } from "../../../transfer/columns.ts";
import { ImportBatcher } from "../../../transfer/import-batcher.ts";
import { LastRows } from "../../../transfer/last-rows.ts";
import { addressKeysOf, personReader } from "../../../transfer/read-person.ts";
import { retryingStore } from "../../../transfer/retrying-store.ts";
import { stateNames } from "../../../transfer/states.ts";
import { parseId } from "../../kit/arguments/arguments.ts";
import { type Command, type Context, notFound } from "../../kit/command.ts";
import { importBatchCommands, sourceOf } from "./import-batches.ts";
import { importRetries } from "./import-retries.ts";
import { summary } from "./import-summary.ts";
import { Rejections } from "./rejections.ts";
import { suppressionReader } from "./suppressions.ts";
import { readTable, tableOptions } from "./table-file.ts";
import { requireColumns } from "./table-header.ts";

async function importSubscribers(context: Context): Promise<void> {
  const { args, option, has, store, account, now, out } = context;
  const list = parseId(option("list"), "--list");
  const { retries, onInterrupt } = importRetries(out);
  const { owner, opened, lists, fields } = await retries.run(async () => {
    const found = await account();
    const database = await store();
    const ofAccount = { account: found.id };
    return {
      owner: found,
      opened: database,
      lists: await collect(database.lists.all.pages(ofAccount)),
      fields: await collect(database.fields.all.pages(ofAccount)),
    };
  });
  const name = lists.find(({ id }) => id === list)?.name;
  if (name === undefined) throw notFound("list", list);
  const isDryRun = has("dry-run");
  const rejections = new Rejections(context);
  const target = { account: owner.id, list, overwrite: has("overwrite"), now };
  const retrying = retryingStore(opened, retries);
  const source = sourceOf(args[0] ?? "-");
  const batcher = new ImportBatcher(retrying, target, rejections, { source, isDryRun, clock: Date.now });
  const lastRows = new LastRows();
  const headerOptions = { fields, map: context.options("map"), ignoresUnknown: has("ignore-unknown") };
  const rows = await readTable(context, rejections, {
    onHeader: (header) => {
      const columns = requireColumns(header, headerOptions);
      return {
        isHeader: true,
        dateColumns: dateColumns(columns),
        preview: (row) => {
          for (const key of addressKeysOf(columns, row)) lastRows.see(key, row.line);
        },
        rowTaker: (dates) => {
          const read = personReader(columns, { now, dates, country: owner.country });
          return ({ line, cells }) => {
            const found = read(cells);
            if (typeof found === "string") return found;
            const { key } = found.person.address;
            const block = found.block === null ? null : { pattern: key, at: found.block.at };
            const person = { ...found.person, isDuplicate: !lastRows.isLast(key, line) };
            return batcher.add({ line, cells, person, block });
          };
        },
      };
    },
    onEnd: () => batcher.finish(),
    onInterrupt,
  });
  const { counts, batch } = batcher;
  out.result({ dryRun: isDryRun, import: batch, list, rows, ...counts, rejected: rejections }, () =>
    summary(
      isDryRun
        ? `Would import into list ${list} (${name}):`
        : `Imported into list ${list} (${name}) as import ${batch}:`,
      counts,
      rejections.reasons,
    ),
  );
  rejections.failWhereAny();
}

async function importSuppressions(context: Context): Promise<void> {
  const { args, option, has, store, account, now, out } = context;
  const readerOf = suppressionReader(option("as"), now);
  const { retries, onInterrupt } = importRetries(out);
  const owner = await retries.run(account);
  const opened = await store();
  const isDryRun = has("dry-run");
  const rejections = new Rejections(context);
  const target = { account: owner.id, list: null, overwrite: false, now };
  const retrying = retryingStore(opened, retries);
  const source = sourceOf(args[0] ?? "-");
  const batcher = new ImportBatcher(retrying, target, rejections, { source, isDryRun, clock: Date.now });
  const rows = await readTable(context, rejections, {
    onHeader: (first) => {
      const { isHeader, dateColumn, read } = readerOf(first);
      return {
        isHeader,
        dateColumns: dateColumn === null ? [] : [dateColumn],
        preview: null,
        rowTaker: (dates) => {
          const order = dateColumn === null ? null : (dates[dateColumn] ?? null);
          return ({ line, cells }) => {
            const found = read(cells, order);
            return typeof found === "string" ? found : batcher.add({ line, cells, ...found });
          };
        },
      };
    },
    onEnd: () => batcher.finish(),
    onInterrupt,
  });
  const { counts, batch } = batcher;
  out.result({ dryRun: isDryRun, import: batch, rows, ...counts, rejected: rejections }, () =>
    summary(isDryRun ? "Would import:" : `Imported as import ${batch}:`, counts, rejections.reasons),
  );
  rejections.failWhereAny();
}

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
      "ignore-unknown": { doc: "Ignore columns with an unknown heading, instead of stopping." },
      ...tableOptions,
    },
    doc: "Imports subscribers from a CSV file into a list; never clears a suppression.",
    details: `FILE is a CSV file, as spreadsheets write it; - is standard input. Its first row names the columns:

  email
  first_name, last_name, gender, birthday, country
  subscribed_at
  state (${stateNames})
  ${listedSuppressions.map((kind) => standardHeading({ kind: "suppression", suppression: kind })).join(", ")}
  custom fields, by name or id

Headings are compared ignoring case, spaces, hyphens and underscores. Common headings in English, Spanish, Portuguese,
German, French, Italian and Dutch are recognised; --map maps any other.

The file is read twice. The first pass detects for each column whether the day or the month comes first, from a date
that is unambiguous, such as 25.12.1990. If a column has only ambiguous dates such as 3/4/2026, or dates in both orders,
the import stops before the first row and asks for --dates.

Subscribers who are suppressed in the file are imported with that suppression, and are not mailed. Subscribers who are
suppressed in Mailroll stay suppressed, and those who have not confirmed stay pending. If an address is in several rows, the last row counts.

An imported value fills an empty one, or replaces one from an earlier import. A value that was set in Mailroll by a call
or by an operator is kept, unless you give --overwrite. Replaced values are kept in the subscriber's history. An empty
cell never erases a value.

Every import has a number: see 'import list' and 'import show'. Rejected rows are written with the reason to a file
beside FILE: for members.csv to members.rejected.csv, or to members.rejected-2.csv if that exists. For standard
input it is stdin.rejected.csv in the current directory. The exit code is then 1. A dry run prints the first rejected rows and writes no file.

If the database does not respond, as during a failover, the import retries for about two minutes. If an import was
interrupted, import the file again: rows that were already imported are not changed.`,
    example: "import subscribers members.csv --list 543181 --dry-run",
    inAccount: true,
    run: importSubscribers,
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
    details: `FILE is a text file or a CSV file; - is standard input. A text file has one address per line. Instead of an address, a
line may have @ and a domain, such as @example.org, to block that domain. The first row of a CSV file names the columns:
email (or pattern), kind and date. A kind is one of ${listedSuppressions.join(", ")}. Addresses that are not subscribers yet are stored too. A
suppression that is already stored keeps its first date.`,
    example: "import suppressions optouts.txt --as unsubscribed",
    inAccount: true,
    run: importSuppressions,
  },
  ...importBatchCommands,
];
