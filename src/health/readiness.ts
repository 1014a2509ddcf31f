/**
 * Readiness checks: whether calls can be served now and in the near future. Each says what is wrong and what
 * to do. The result is public, so it names no file and no host.
 */
import { statfs } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { DatabaseFileReplaced, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";

export const checkNames = ["database", "schema", "writes", "disk"] as const;
export type CheckName = (typeof checkNames)[number];
export type Check =
  | { readonly name: CheckName; readonly status: "ok" }
  | {
      readonly name: CheckName;
      readonly status: "failed";
      readonly reason: string;
      readonly todo: string;
    };

export interface ReadinessOptions {
  readonly store: Store;
  /** The folder of the SQLite file; null for PostgreSQL. */
  readonly folder: string | null;
  /** Bytes that must be free there. */
  readonly diskReserve: number;
  /** Why a write failed within the last minute, if because of the disk; else null. */
  readonly diskFailure: () => Error | null;
  /** For the log: the error that made a check fail. */
  readonly onFailure: (error: unknown) => void;
}

const MIB = 1024 ** 2;
/** The timeout of the write probe. */
const WRITE_MS = 2000;
const ok = (name: CheckName): Check => ({ name, status: "ok" });
const failed = (name: CheckName, reason: string, todo: string): Check => ({
  name,
  status: "failed",
  reason,
  todo,
});

/** If the database does not answer, the checks that depend on it are left out. */
export async function readiness(options: ReadinessOptions): Promise<readonly Check[]> {
  return (await Promise.all([checkDatabase(options), checkDisk(options)])).flat();
}

/** Free bytes on the file system of the folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function checkDatabase(options: ReadinessOptions): Promise<readonly Check[]> {
  const { store, onFailure } = options;
  try {
    const schema = schemaCheck(await store.health.ping(), store.schemaVersion);
    return [ok("database"), schema, await checkWrites(options)];
  } catch (error) {
    onFailure(error);
    if (error instanceof DatabaseFileReplaced)
      return [
        failed(
          "database",
          "the database file was moved, deleted or replaced while it was open, so no call is answered from it",
          "Put the file back, and service resumes. If another file was put there on purpose, restart the service to open it; a restart without a file creates an empty database. The log names the file.",
        ),
      ];
    const todo = "Service resumes by itself when the database answers again; the log has the error.";
    return [failed("database", "the database does not answer", todo)];
  }
}

/**
 * A real write, because a read-only disk or a standby server still answers reads. It is small, so it may fit
 * where the writes of callers do not.
 */
async function checkWrites({ store, diskFailure, onFailure }: ReadinessOptions): Promise<Check> {
  const late = new AbortController();
  try {
    await Promise.race([
      store.health.probeWrite(),
      setTimeout(WRITE_MS, null, { signal: late.signal, ref: false }).then(() => {
        throw new StoreUnavailable(`a write took longer than ${WRITE_MS} ms`);
      }),
    ]);
    const failure = diskFailure();
    if (failure === null) return ok("writes");
    onFailure(failure);
    return failed(
      "writes",
      "a write has failed within the last minute because the disk was full or failed",
      "See `write failed` in the log for the cause. Free disk space, or raise the quota or the limit on the file size. This check passes again a minute after the last such failure.",
    );
  } catch (error) {
    onFailure(error);
    return failed(
      "writes",
      "the database answers, but rejects writes",
      "Service resumes by itself when writes succeed; the log has the error: a full or read-only disk, a standby server, or a lock of another process.",
    );
  } finally {
    late.abort();
  }
}

/**
 * This process migrated the database when it started, so it was replaced or migrated by another version
 * since.
 */
function schemaCheck(found: number, known: number): Check {
  if (found === known) return ok("schema");
  const versions = `the database has schema ${found}, this process needs ${known}`;
  return found < known
    ? failed("schema", `a migration is pending: ${versions}`, "Restart the service, which migrates it.")
    : failed("schema", `a newer Mailroll has migrated it: ${versions}`, "Run that version here too.");
}

async function checkDisk({ folder, diskReserve, onFailure }: ReadinessOptions): Promise<readonly Check[]> {
  if (folder === null) return [];
  try {
    const free = await freeBytes(folder);
    if (free >= diskReserve) return [ok("disk")];
    const reason = `${Math.floor(free / MIB)} MiB free on the data disk; ${Math.ceil(diskReserve / MIB)} MiB required`;
    return [
      failed("disk", reason, "Free disk space before every write fails, or lower MAILROLL_DISK_RESERVE."),
    ];
  } catch (error) {
    onFailure(error);
    return [
      failed(
        "disk",
        "the folder of the database cannot be read",
        "Check that it exists and that the service may enter it.",
      ),
    ];
  }
}
