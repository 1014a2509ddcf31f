/** `mailroll copy`: copies everything from one database to another, and verifies it. */
import { copyDatabase, type Progress } from "#app/database.ts";
import { type DatabaseAddress, settings } from "#app/settings/config.ts";
import { type Command, type Context, Failure, UsageError } from "../../kit/command.ts";
import { interruptible } from "../../kit/signals.ts";
import { toTable } from "../../kit/terminal/output.ts";
import { counted, duration, progressText } from "../../kit/terminal/text.ts";

/** The message does not repeat an invalid address: it may contain a password. */
function parseAddress(text: string | undefined, what: string): DatabaseAddress {
  const address = settings.database.read(text?.trim() ?? "");
  if (address === null) throw new UsageError(`${what} is not ${settings.database.expected}`);
  return address;
}

/** Identifies a database; two users of the same database get the same text. */
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

/** Each row is copied and then verified: the percentage covers both steps, the row count the current one. */
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
  const interrupted = new Failure("interrupted; TO is still empty");
  const copied = await interruptible(interrupted, async (signal) => {
    try {
      return await copyDatabase(from, to, {
        signal,
        onInUse: (name) =>
          out.note(
            `${name} is in use, or was not closed: changes made from now on are not copied. Stop the service first`,
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
  doc: "Copies everything from one database to another, SQLite or PostgreSQL, and verifies it.",
  details: `FROM and TO are addresses in the form of MAILROLL_DATABASE; the setting itself is ignored. Ids, times, keys and history stay unchanged, and
new ids continue after the old ones.

Stop the service first: changes made after the copy began are not copied. TO must be a new or empty database. It is
filled in one transaction, which is committed only if the row counts and checksums of all tables are equal; if the
command is interrupted, TO stays empty. FROM is not changed.

Other users of the machine can see a password in an address: omit it, and set PGPASSWORD instead.`,
  example: "copy sqlite:./data/mailroll.db postgres://mailroll@db.example.org/mailroll",
  inAccount: false,
  settings: [],
  run,
};
