/**
 * Whether calls can be served, and will be a while from now: each check says what is wrong and what to do. It is told to
 * whoever asks, so it names no file and no host.
 */
import { statfs } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { DatabaseFileReplaced, type Store, StoreUnavailable } from "../domain/ports.ts";

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
  /** Where the database's file is; null where it is not on this machine. */
  readonly folder: string | null;
  /** How many bytes must be free there. */
  readonly diskReserve: number;
  /** For the log: what made a check fail. */
  readonly onFailure: (error: unknown) => void;
}

const MIB = 1024 ** 2;
/** A write that takes longer has failed for those who wait for it. */
const WRITE_MS = 2000;
const ok = (name: CheckName): Check => ({ name, status: "ok" });
const failed = (name: CheckName, reason: string, todo: string): Check => ({
  name,
  status: "failed",
  reason,
  todo,
});

/** Those that can be made: of a database that does not answer nothing more is known. */
export async function readiness(options: ReadinessOptions): Promise<readonly Check[]> {
  return (await Promise.all([checkDatabase(options), checkDisk(options)])).flat();
}

/** Bytes that the service may still write to the file system of the folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function checkDatabase({ store, onFailure }: ReadinessOptions): Promise<readonly Check[]> {
  try {
    const schema = schemaCheck(await store.read("ping", {}), store.schemaVersion);
    return [ok("database"), schema, await checkWrites(store, onFailure)];
  } catch (error) {
    onFailure(error);
    if (error instanceof DatabaseFileReplaced)
      return [
        failed(
          "database",
          "it was moved, deleted or exchanged while it was open, so no call is answered from it",
          "Put it back, or restart the service, which opens what is there now; the log says which file.",
        ),
      ];
    const todo = "Service resumes by itself when it is back; the log says why it is away.";
    return [failed("database", "the database does not answer", todo)];
  }
}

/** A real one: a disk that has turned read-only, or a server that has become a standby, still answers who reads. */
async function checkWrites(store: Store, onFailure: ReadinessOptions["onFailure"]): Promise<Check> {
  const late = new AbortController();
  try {
    await Promise.race([
      store.write("probeWrite", {}),
      setTimeout(WRITE_MS, null, { signal: late.signal, ref: false }).then(() => {
        throw new StoreUnavailable(`a write took longer than ${WRITE_MS} ms`);
      }),
    ]);
    return ok("writes");
  } catch (error) {
    onFailure(error);
    return failed(
      "writes",
      "the database answers, but takes no writes",
      "Service resumes by itself when it does; the log says why: a disk that is full or read-only, a server that has become a standby, somebody else's lock.",
    );
  } finally {
    late.abort();
  }
}

/** This process brought it up to date when it started: somebody has exchanged it, or taken it further. */
function schemaCheck(found: number, known: number): Check {
  if (found === known) return ok("schema");
  const versions = `the database is of schema ${found}, this process of ${known}`;
  return found < known
    ? failed("schema", `a migration is pending: ${versions}`, "Restart the service, which migrates it.")
    : failed("schema", `a newer Mailroll has migrated it: ${versions}`, "Run that version here too.");
}

async function checkDisk({ folder, diskReserve, onFailure }: ReadinessOptions): Promise<readonly Check[]> {
  if (folder === null) return [];
  try {
    const free = await freeBytes(folder);
    if (free >= diskReserve) return [ok("disk")];
    const reason = `${Math.floor(free / MIB)} MiB are free where the data is, and ${Math.ceil(diskReserve / MIB)} are to be`;
    return [
      failed(
        "disk",
        reason,
        "Make room before the disk is full and every write fails, or set MAILROLL_DISK_RESERVE.",
      ),
    ];
  } catch (error) {
    onFailure(error);
    return [
      failed(
        "disk",
        "the folder of the data cannot be looked at",
        "See that it is there and may be entered.",
      ),
    ];
  }
}
