/** `mailroll import …`: people and suppressions from the files of another system. */
import type { Field } from "../domain/field.ts";
import { collect } from "../domain/pages.ts";
import { knownHeadings, readHeader } from "../transfer/columns.ts";
import { ImportBatcher } from "../transfer/import-batcher.ts";
import { personReader } from "../transfer/read-person.ts";
import { RetryingStore } from "../transfer/retrying-store.ts";
import { parseId } from "./arguments.ts";
import { type Command, type Context, Failure, UsageError } from "./command.ts";
import { importRetries } from "./import-retries.ts";
import { nearest } from "./nearest.ts";
import { count } from "./progress-text.ts";
import { Rejections } from "./rejections.ts";
import { suppressionReader } from "./suppressions.ts";
import { parseDates, readTable, tableOptions } from "./table-file.ts";
import { shorten } from "./terminal-text.ts";

/** What is wrong with a header, said once before anything is read. */
function requireColumns(cells: readonly string[], fields: readonly Field[], mayIgnore: boolean) {
  const { columns, unknown, twice } = readHeader(cells, fields);
  if (!columns.some(({ kind }) => kind === "email")) {
    const isData = cells.some((cell) => cell.includes("@"));
    throw new UsageError(
      isData
        ? `the first row must name the columns, such as email,first_name; it begins with '${shorten(cells[0] ?? "", 60)}'`
        : `no column is named email; the columns are: ${shorten(cells.join(", "), 300)}`,
    );
  }
  if (twice !== null) throw new UsageError(`the columns '${twice[0]}' and '${twice[1]}' mean the same`);
  if (unknown.length > 0 && !mayIgnore) {
    const known = knownHeadings(fields);
    const names = unknown.map((name) => {
      const meant = nearest(name.trim().toLowerCase(), known);
      return `'${name}'${meant === null ? "" : ` (did you mean ${meant}?)`}`;
    });
    throw new UsageError(
      `columns that are not known: ${names.join(", ")}. Make fields for them with 'mailroll field create NAME --type STRING', or give --ignore-unknown`,
    );
  }
  return columns;
}

async function importSubscribers(context: Context): Promise<void> {
  const { option, has, store, account, now, out } = context;
  const list = parseId(option("list"), "--list");
  const dates = parseDates(option("dates"));
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
  const reading = { now, dates, country: owner.country };
  const isDryRun = has("dry-run");
  const rejections = new Rejections(context);
  const target = { account: owner.id, list, now };
  const retrying = new RetryingStore(opened, retries);
  const batcher = new ImportBatcher(retrying, target, isDryRun, (entry, reason) =>
    rejections.add(entry, reason),
  );
  let read: ReturnType<typeof personReader> | null = null;
  const rows = await readTable(context, rejections, {
    onHeader: (cells) => {
      read = personReader(requireColumns(cells, fields, has("ignore-unknown")), reading);
      return true;
    },
    onRow: ({ line, cells }) => {
      const found = read?.(cells) ?? "";
      if (typeof found === "string") return found;
      const { person, blockedAt } = found;
      const block = blockedAt === null ? null : { pattern: person.address.key, at: blockedAt };
      return batcher.add({ line, cells, person, block });
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
  const readerOf = suppressionReader(option("as"), {
    now,
    dates: parseDates(option("dates")),
    country: null,
  });
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
  let read: ReturnType<typeof readerOf>["read"] | null = null;
  const rows = await readTable(context, rejections, {
    onHeader: (cells) => {
      const found = readerOf(cells);
      read = found.read;
      return found.isHeader;
    },
    onRow: ({ line, cells }) => {
      const found = read?.(cells) ?? "";
      return typeof found === "string" ? found : batcher.add({ line, cells, ...found });
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
      "ignore-unknown": { doc: "Leave columns out that name nothing, instead of stopping." },
      ...tableOptions,
    },
    doc: "Puts the people of a table onto a list, with what is known about them; never undoes an opt-out.",
    details: `FILE is a table (CSV) as spreadsheets write it, in any usual encoding and with any usual separator; - is standard input. Its
first row names the columns: email; first_name, last_name, gender, birthday, country; subscribed_at; state
(active, unsubscribed, bounced, complained or blocked), unsubscribed_at, bounced_at, complained_at, blocked_at; and custom
fields by name or id. Case, blanks, hyphens and underscores do not matter.

People who are not active in the file are remembered as such, and people who opted out, bounced, complained or are
blocked here stay so. An empty cell erases nothing. Rows that cannot be taken go to FILE.rejected.csv with the
reason, and the exit code is 1. While the database does not answer, as
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
