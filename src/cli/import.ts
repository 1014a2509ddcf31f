/** `mailroll import …`: people and suppressions from the files of another system. */
import { collect } from "../domain/pages.ts";
import { dateColumns } from "../transfer/columns.ts";
import { ImportBatcher } from "../transfer/import-batcher.ts";
import { personReader } from "../transfer/read-person.ts";
import { RetryingStore } from "../transfer/retrying-store.ts";
import { parseId } from "./arguments.ts";
import { type Command, type Context, Failure } from "./command.ts";
import { importRetries } from "./import-retries.ts";
import { count } from "./progress-text.ts";
import { Rejections } from "./rejections.ts";
import { suppressionReader } from "./suppressions.ts";
import { readTable, tableOptions } from "./table-file.ts";
import { requireColumns } from "./table-header.ts";

async function importSubscribers(context: Context): Promise<void> {
  const { option, has, store, account, now, out } = context;
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
  const target = { account: owner.id, list, now };
  const retrying = new RetryingStore(opened, retries);
  const batcher = new ImportBatcher(retrying, target, isDryRun, (entry, reason) =>
    rejections.add(entry, reason),
  );
  const headerOptions = { fields, map: context.options("map"), ignoresUnknown: has("ignore-unknown") };
  const rows = await readTable(context, rejections, {
    onHeader: (header) => {
      const columns = requireColumns(header, headerOptions);
      return {
        isHeader: true,
        dateColumns: dateColumns(columns),
        rowTaker: (dates) => {
          const read = personReader(columns, { now, dates, country: owner.country });
          return ({ line, cells }) => {
            const found = read(cells);
            if (typeof found === "string") return found;
            const { person, blockedAt } = found;
            const block = blockedAt === null ? null : { pattern: person.address.key, at: blockedAt };
            return batcher.add({ line, cells, person, block });
          };
        },
      };
    },
    onEnd: () => batcher.settle(),
    onInterrupt,
  });
  const { NewPerson, Joined, HeldBack, OnList, LeftSince, Erased, NewBlock } = batcher.tally;
  const result = {
    dryRun: isDryRun,
    list,
    rows,
    newPeople: NewPerson,
    joined: Joined,
    heldBack: HeldBack,
    onListAlready: OnList,
    leftSince: LeftSince,
    erased: Erased,
    newBlocks: NewBlock,
    rejected: rejections,
  };
  out.result(result, () =>
    lines(`${isDryRun ? "Would import" : "Imported"} into list ${list} (${name}):`, [
      [rows, "rows read"],
      [NewPerson, "new people"],
      [Joined, "joined the list"],
      [OnList, "were on it already"],
      [HeldBack, "held back: opted out, bounced, complained or blocked; they are never mailed"],
      [LeftSince, "left the list here since, and stay off it"],
      ...(Erased === 0 ? [] : [[Erased, "were erased here and are out; nothing of them is kept"] as const]),
      ...rejectedLines(rejections),
    ]),
  );
  rejections.failWhereAny();
}

const rejectedLines = ({ count: rows, reasons }: Rejections): readonly (readonly [number, string])[] => [
  [rows, "rejected"],
  ...reasons.map(([reason, times]) => [times, `- ${reason}`] as const),
];

const lines = (head: string, numbers: readonly (readonly [number, string])[]): string => {
  const width = Math.max(...numbers.map(([n]) => count(n).length));
  return [head, ...numbers.map(([n, what]) => `  ${count(n).padStart(width)}  ${what}`)].join("\n");
};

async function importSuppressions(context: Context): Promise<void> {
  const { option, has, store, account, now, out } = context;
  const readerOf = suppressionReader(option("as"), now);
  const { retries, onInterrupt } = importRetries(out);
  const owner = await retries.run(account);
  const opened = await store();
  const isDryRun = has("dry-run");
  const rejections = new Rejections(context);
  const target = { account: owner.id, list: null, now };
  const retrying = new RetryingStore(opened, retries);
  const batcher = new ImportBatcher(retrying, target, isDryRun, (entry, reason) =>
    rejections.add(entry, reason),
  );
  const rows = await readTable(context, rejections, {
    onHeader: (first) => {
      const { isHeader, dateColumn, read } = readerOf(first);
      return {
        isHeader,
        dateColumns: dateColumn === null ? [] : [dateColumn],
        rowTaker: (dates) => {
          const order = dateColumn === null ? null : (dates[dateColumn] ?? null);
          return ({ line, cells }) => {
            const found = read(cells, order);
            return typeof found === "string" ? found : batcher.add({ line, cells, ...found });
          };
        },
      };
    },
    onEnd: () => batcher.settle(),
    onInterrupt,
  });
  const { Recorded, NoOp, NewBlock, OldBlock } = batcher.tally;
  const result = {
    dryRun: isDryRun,
    rows,
    recorded: Recorded,
    blocked: NewBlock,
    noOps: NoOp + OldBlock,
    rejected: rejections,
  };
  out.result(result, () =>
    lines(isDryRun ? "Would import:" : "Imported:", [
      [rows, "rows read"],
      [Recorded, "opt-outs, bounces and complaints recorded"],
      [NewBlock, "blocks put up"],
      [NoOp + OldBlock, "were so already"],
      ...rejectedLines(rejections),
    ]),
  );
  rejections.failWhereAny();
}

export const importCommands: readonly Command[] = [
  {
    name: "import subscribers",
    args: ["FILE"],
    options: {
      list: { value: "ID", required: true, doc: "The list that they are on." },
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
blocked here stay so. An empty cell erases nothing. Rows that cannot be taken go to FILE.rejected.csv with the
reason, and the exit code is 1; a dry run shows the first of them and writes no file. While the database does not answer, as
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
];
