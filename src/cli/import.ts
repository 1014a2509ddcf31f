/** `mailroll import …`: people and suppressions from the files of another system. */
import { collect } from "../domain/pages.ts";
import { dateColumns } from "../transfer/columns.ts";
import { ImportBatcher } from "../transfer/import-batcher.ts";
import { LastRows } from "../transfer/last-rows.ts";
import { addressKeyOf, personReader } from "../transfer/read-person.ts";
import { RetryingStore } from "../transfer/retrying-store.ts";
import { parseId } from "./arguments.ts";
import { type Command, type Context, Failure } from "./command.ts";
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
      lists: await collect(database.pages("lists", ofAccount)),
      fields: await collect(database.pages("fields", ofAccount)),
    };
  });
  const name = lists.find(({ id }) => id === list)?.name;
  if (name === undefined) throw new Failure(`there is no list ${list}; see 'mailroll list list'`);
  const isDryRun = has("dry-run");
  const rejections = new Rejections(context);
  const target = { account: owner.id, list, overwrite: has("overwrite"), now };
  const retrying = new RetryingStore(opened, retries);
  const source = sourceOf(args[0] ?? "-");
  const batcher = new ImportBatcher(retrying, target, rejections, { source, isDryRun });
  const lastRows = new LastRows();
  const headerOptions = { fields, map: context.options("map"), ignoresUnknown: has("ignore-unknown") };
  const rows = await readTable(context, rejections, {
    onHeader: (header) => {
      const columns = requireColumns(header, headerOptions);
      return {
        isHeader: true,
        dateColumns: dateColumns(columns),
        preview: ({ line, cells }) => {
          const key = addressKeyOf(columns, cells);
          if (key !== null) lastRows.see(key, line);
        },
        rowTaker: (dates) => {
          const read = personReader(columns, { now, dates, country: owner.country });
          return ({ line, cells }) => {
            const found = read(cells);
            if (typeof found === "string") return found;
            const { key } = found.person.address;
            const block = found.blockedAt === null ? null : { pattern: key, at: found.blockedAt };
            const person = { ...found.person, isDuplicate: !lastRows.isLast(key, line) };
            return batcher.add({ line, cells, person, block });
          };
        },
      };
    },
    onEnd: () => batcher.finish(Date.now),
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
  const retrying = new RetryingStore(opened, retries);
  const source = sourceOf(args[0] ?? "-");
  const batcher = new ImportBatcher(retrying, target, rejections, { source, isDryRun });
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
    onEnd: () => batcher.finish(Date.now),
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
      list: { value: "ID", required: true, doc: "The list that they are on." },
      overwrite: {
        doc: "Replace also values that are newer here: those that a call, an operator or the person gave.",
      },
      map: {
        value: "HEADING=COLUMN",
        repeated: true,
        doc: "Which column a heading means: one of those below, a field's name or id, or 'ignore'.",
      },
      "ignore-unknown": { doc: "Leave columns out that name nothing, instead of stopping." },
      ...tableOptions,
    },
    doc: "Puts the people of a table onto a list, with what is known about them; never undoes an opt-out.",
    details: `FILE is a table (CSV) as spreadsheets write it, in any usual encoding and with any usual separator; - is standard input. Its
first row names the columns: email; first_name, last_name, gender, birthday, country; subscribed_at; state
(active, unsubscribed, bounced, complained or blocked), unsubscribed_at, bounced_at, complained_at, blocked_at; and custom
fields by name or id. Case, blanks, hyphens and underscores do not matter. Usual names for them in English, Spanish, Portuguese,
German, French, Italian and Dutch are known; --map says what any other means.

The file is read twice. The first reading finds out for each column whether 3/4/2026 is in March or in April, from
a cell that can be read in one way only, such as 25.12.1990. Where no cell tells, or cells contradict each other, the
import stops before the first row; --dates then says it.

People who are not active in the file are remembered as such, and people who opted out, bounced, complained or are
blocked here stay so. A value fills an empty one, or replaces one that an import wrote last. A value that a call, an
operator or the person gave here is newer, and stays, unless you give --overwrite. An empty cell erases nothing. Replaced
values are in the person's history. Where an address stands in several rows, the last one counts.

Every import has a number: see 'import list' and 'import show'. Rows that cannot be taken go to FILE.rejected.csv with
the reason, and the exit code is 1; a dry run shows the first of them and writes no file. While the database does not answer, as
during a failover, rows are tried again for about two minutes. An import that broke off is given again: what is
there already stays as it is.`,
    example: "import subscribers members.csv --list 543181 --dry-run",
    inAccount: true,
    run: importSubscribers,
  },
  {
    name: "import suppressions",
    args: ["FILE"],
    options: {
      as: {
        value: "unsubscribed|bounced|complained|blocked",
        doc: "What all of them are, where no column says it.",
      },
      ...tableOptions,
    },
    doc: "Remembers addresses that must not be mailed: opt-outs, bounces, complaints, and blocks of addresses or domains.",
    details: `FILE has an address, or @ and a domain to block, in each line; - is standard input. Or it is a table with a first row
that names its columns: email (or pattern), kind (unsubscribed, bounced, complained or blocked) and date. Addresses that
are not known are remembered all the same. What holds already keeps its first date.`,
    example: "import suppressions optouts.txt --as unsubscribed",
    inAccount: true,
    run: importSuppressions,
  },
  ...importBatchCommands,
];
