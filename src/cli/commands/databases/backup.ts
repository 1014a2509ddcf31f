/** `mailroll backup` and `mailroll restore`: all data into one file, and back into a database. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  backupDatabase,
  databaseName,
  type Progress,
  removeMigrationCopies,
  restoreDatabase,
  type TableCount,
} from "#app/database.ts";
import { type Command, type Context, Failure } from "../../kit/command.ts";
import { interruptible } from "../../kit/signals.ts";
import { duration, formatNumber } from "../../kit/terminal/text.ts";
import { copyText } from "./copy.ts";

type Work = (options: {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}) => Promise<readonly TableCount[]>;

/** Runs the work with a progress line, and returns what was copied and the texts for the result. */
async function followed({ config, out }: Context, interrupted: string, work: Work) {
  const startedAt = performance.now();
  const onProgress = (progress: Progress): void =>
    out.progress(copyText(progress, performance.now() - startedAt));
  try {
    const tables = await interruptible(new Failure(interrupted), (signal) => work({ signal, onProgress }));
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    const took = duration((performance.now() - startedAt) / 1000);
    // Named in the result, because it depends on the working folder and on environment variables.
    return { tables, rows: formatNumber(rows), took, database: await databaseName(config.database) };
  } finally {
    out.progress(null);
  }
}

async function backup(context: Context): Promise<void> {
  const file = resolve(context.args[0] ?? "");
  const mayReplace = context.has("replace");
  const { tables, rows, took, database } = await followed(
    context,
    "interrupted; no backup was written",
    (options) => backupDatabase(context.config.database, file, { ...options, mayReplace }),
  );
  const bytes = statSync(file).size;
  // For the first steps of the console. A database that cannot be written, or is older, is backed up, too.
  await context
    .store()
    .then(({ health }) => health.backedUp({ at: context.now }))
    .catch(() => null);
  context.out.result(
    { database, file, bytes, tables },
    () => `Backed up ${rows} rows of ${database} in ${took}, and verified: ${file}`,
  );
}

async function prune({ config, out }: Context): Promise<void> {
  const removed = await removeMigrationCopies(config.database);
  out.result({ removed }, () =>
    removed.length === 0
      ? "There is no copy that was made before a migration."
      : removed.map((file) => `Removed ${file}.`).join("\n"),
  );
}

async function restore(context: Context): Promise<void> {
  const file = resolve(context.args[0] ?? "");
  const { tables, rows, took, database } = await followed(
    context,
    "interrupted; the database is still empty",
    (options) => restoreDatabase(file, context.config.database, options),
  );
  context.out.result(
    { database, file, tables },
    () => `Restored ${rows} rows to ${database} in ${took}, and verified.`,
  );
}

export const backupCommands: readonly Command[] = [
  {
    name: "backup",
    args: ["FILE"],
    options: { replace: { doc: "Replace an existing backup file." } },
    doc: "Takes an online backup of SQLite or PostgreSQL into one file.",
    details: `FILE is a SQLite database, readable by its owner only, with a checksum of its bytes at its end. It contains every call that was
answered before the command began. The file gets its name when it is complete, verified and on the
disk; until then it is in a folder mailroll-partial-… beside it. If the command is killed, that folder stays. The
next backup or export into the same directory removes it.`,
    example: "backup /var/backups/mailroll.db",
    inAccount: false,
    run: backup,
  },
  {
    name: "backup prune",
    doc: "Removes the copy of a SQLite file that the service made before it migrated it.",
    details: `The service copies a SQLite file before a new version changes its schema, to a backup beside it, such as
mailroll.db.before-25. 'mailroll restore' of the version before restores it. The service removes it itself seven days after the
first good start of the new version. For a backup into a file named prune, write ./prune.`,
    example: "backup prune",
    inAccount: false,
    run: prune,
  },
  {
    name: "restore",
    args: ["FILE"],
    doc: "Restores a backup of SQLite or PostgreSQL into a new or empty database of either kind.",
    details: `The checksum is verified first: a truncated or changed file is refused. Ids, times, keys and history are restored unchanged, in one
transaction that is verified before the commit; if the command is interrupted, the database stays empty. A backup
of an older version is migrated first, in a temporary copy beside the database, or beside FILE for PostgreSQL. Calls that
were answered after the backup was taken are not in it.`,
    example: "restore /var/backups/mailroll.db --database sqlite:./data/restored.db",
    inAccount: false,
    run: restore,
  },
];
