/**
 * Readiness checks: whether calls can be served now and in the near future. Each says what is wrong and what
 * to do. The result is public, so it names no file and no host.
 */
import { statfs } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { MonotonicClock } from "#domain/clocks.ts";
import { DatabaseFileReplaced, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";

export const checkNames = ["database", "schema", "writes", "disk"] as const;
type CheckName = (typeof checkNames)[number];
export type Check =
  | { readonly name: CheckName; readonly status: "ok" }
  | {
      readonly name: CheckName;
      readonly status: "failed";
      readonly reason: string;
      readonly todo: string;
    };

interface ReadinessOptions {
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
export const failed = (name: CheckName, reason: string, todo: string): Check => ({
  name,
  status: "failed",
  reason,
  todo,
});

/** If the database does not answer, the checks that depend on it are left out. */
async function readiness(options: ReadinessOptions): Promise<readonly Check[]> {
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

/**
 * Caches readiness for one second, and runs the checks once for concurrent probes. Otherwise frequent probes
 * would keep the database and the disk busy.
 */
const CACHE_MS = 1000;

interface CachedReadinessOptions extends Omit<ReadinessOptions, "onFailure"> {
  readonly clock: MonotonicClock;
  /**
   * Called when the set of failing checks changes: for the log, which should not repeat itself for every
   * probe.
   */
  readonly onChange: (failed: readonly CheckName[], cause: unknown) => void;
}

export function cachedReadiness(options: CachedReadinessOptions): () => Promise<readonly Check[]> {
  const { clock, onChange } = options;
  let last: Promise<readonly Check[]> | null = null;
  let isRunning = false;
  let cachedAt = 0;
  let failing = "";

  const runChecks = async (): Promise<readonly Check[]> => {
    let cause: unknown;
    isRunning = true;
    try {
      const onFailure = (error: unknown): void => {
        cause ??= error;
      };
      const checks = await readiness({ ...options, onFailure });
      const failed = checks.flatMap(({ name, status }) => (status === "failed" ? [name] : []));
      if (failed.join() !== failing) onChange(failed, cause);
      failing = failed.join();
      return checks;
    } finally {
      isRunning = false;
      cachedAt = clock();
    }
  };
  return () => {
    const isFresh = clock() - cachedAt < CACHE_MS;
    if (last === null || !(isRunning || isFresh)) last = runChecks();
    return last;
  };
}

/** The health checks over HTTP. They are answered under overload too: admission control exempts them. */
const PROBE = { config: { isProbe: true } } as const;

/** /healthz is about the process only: an unreachable database is no reason to restart it. */
export function addHealthRoutes(fastify: FastifyInstance, checks: () => Promise<readonly Check[]>): void {
  fastify.get("/healthz", PROBE, (_request, reply) => reply.send({ status: "ok" }));
  fastify.get("/readyz", PROBE, async (_request, reply) => {
    const made = await checks();
    const isReady = made.every(({ status }) => status === "ok");
    reply.header("Cache-Control", "no-store").code(isReady ? 200 : 503);
    return reply.send({ status: isReady ? "ok" : "unavailable", checks: made });
  });
}
