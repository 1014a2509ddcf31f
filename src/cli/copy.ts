/** `mailroll copy`: copies everything from one database to another, and verifies it. */
import { type DatabaseAddress, settings } from "../config.ts";
import { copyDatabase, type Progress } from "../database.ts";
import { type Command, type Context, Failure, UsageError } from "./command.ts";
import { counted } from "./numbers.ts";
import { toTable } from "./output.ts";
import { duration, progressText } from "./progress-text.ts";
import { interruptible } from "./signals.ts";

/** A wrong address is not repeated: it may hold a password. */
function parseAddress(text: string | undefined, what: string): DatabaseAddress {
  const address = settings.database.read(text?.trim() ?? "");
  if (address === null) throw new UsageError(`${what} is not ${settings.database.expected}`);
  return address;
}

/** What tells databases apart; who asks does not. */
function placeOf(address: DatabaseAddress): string {
  if (address.kind === "sqlite") return address.file;
  const { host, pathname, search } = new URL(address.url);
  return `${host}${pathname}${search}`;
}

const words: Readonly<Record<Progress["doing"], string>> = {
  copying: "copying",
  indexing: "building indexes",
  checking: "checking",
};

/** Each row is copied and then checked: the one percentage is about both, the rows are about what is being done. */
export function copyText({ doing, table, done, total }: Progress, elapsedMs: number): string {
  const rows = total / 2;
  const what = [
    words[doing],
    ...(table === null ? [] : [table]),
    counted(doing === "checking" ? done - rows : done, "row"),
  ];
  return progressText({ what: what.join(" "), part: total === 0 ? 1 : done / total, rows: done, elapsedMs });
}

async function run({ args, out }: Context): Promise<void> {
  const [from, to] = [parseAddress(args[0], "FROM"), parseAddress(args[1], "TO")];
  if (placeOf(from) === placeOf(to)) throw new UsageError("FROM and TO are the same database");
  const startedAt = performance.now();
  const interrupted = new Failure("interrupted; TO is as empty as it was");
  const copied = await interruptible(interrupted, async (signal) => {
    try {
      return await copyDatabase(from, to, {
        signal,
        onInUse: (name) =>
          out.note(
            `${name} is in use, or was not closed: what is written to it from now on is not in the copy. Stop the service first`,
          ),
        onProgress: (progress) => out.progress(copyText(progress, performance.now() - startedAt)),
      });
    } finally {
      out.progress(null);
    }
  });
  const total = copied.reduce((sum, { rows }) => sum + rows, 0);
  const took = duration((performance.now() - startedAt) / 1000);
  out.result({ tables: copied }, () =>
    [
      toTable(copied.map(({ table, rows, sha256 }) => ({ table, rows, checksum: sha256.slice(0, 12) }))),
      "",
      `Copied ${counted(total, "row")} in ${took}, and verified. Set MAILROLL_DATABASE to TO, and start the service.`,
    ].join("\n"),
  );
}

export const copyCommand: Command = {
  name: "copy",
  args: ["FROM", "TO"],
  options: {},
  doc: "Copies everything from one database to another, SQLite or PostgreSQL, and verifies it.",
  details: `FROM and TO are addresses as in MAILROLL_DATABASE, which itself is not used here. Ids, times, keys and history stay unchanged, and
new ids continue after the old ones.

Stop the service first: what it writes after the copy has begun is not copied. TO must be a new or empty database.
It is filled in one transaction and verified, and committed only if the counts and checksums of all tables are equal;
if the command is interrupted, TO stays empty. FROM is only read.

Other users of the machine can see a password in an address: leave it out, and set PGPASSWORD.`,
  example: "copy sqlite:./data/mailroll.db postgres://mailroll@db.example.org/mailroll",
  inAccount: false,
  settings: [],
  run,
};
