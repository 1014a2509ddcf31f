/**
 * Commits groups of writes: each is loaded, decided and saved in order, all in one transaction. A command
 * that fails is rolled back to its savepoint, and fails alone. Commands of callers have no savepoint, because
 * they are answered with an outcome and do not fail: if a defect makes one fail all the same, the group is
 * executed again, with a savepoint for each.
 */
import type { Idempotency } from "#domain/idempotency.ts";
import { IdempotencyKeyReused, StoreUnavailable } from "#domain/ports/errors.ts";
import { type Context, coldOperations } from "../cold/features.ts";
import { once } from "../cold/idempotency.ts";
import { integer } from "../cold/kit/statement.ts";
import type { Args, Result, TunedCommand } from "../methods.ts";
import { refuseWritesToNewer } from "../migrations.ts";
import { callerCommands } from "../writes/caller-commands.ts";
import type { CommittedStep } from "../writes/callers-first.ts";
import type { Settled } from "../writes/group-commit.ts";
import { subjectOf } from "../writes/idempotency.ts";
import { SqliteDb } from "./cold-db.ts";
import { asStoreError, type Connection } from "./connection.ts";
import { probeWrite } from "./health.ts";
import { importPeople } from "./hot/import.ts";
import { SqliteUnitOfWork } from "./hot/unit-of-work.ts";
import { appliedTo } from "./migrate.ts";
import { change, statement } from "./statement.ts";

/** `key`: of a request that may be repeated. */
export type WriteCall = readonly [kind: string, args: object, key?: Idempotency];
/** A group of calls, or a step of background work. */
export type Writes = { readonly group: readonly WriteCall[] } | { readonly step: WriteCall };
/** `until`: how long they wait for another process that writes, by `monotonicMs`. */
export type WriterCall = Writes & { readonly until: number };

/** A cold command returns a promise. */
type Execute = (work: SqliteUnitOfWork, args: never) => unknown;
type ExecuteTuned = {
  readonly [K in TunedCommand]: (work: SqliteUnitOfWork, args: Args<K>) => Result<K>;
};

function executors(
  db: Connection,
  context: Context,
  operations: typeof coldOperations,
): { readonly [Kind in "tuned" | "cold"]: ReadonlyMap<string, Execute> } {
  const tuned: ExecuteTuned = {
    ...callerCommands,
    "imports.add": importPeople,
    "health.probeWrite": () => probeWrite(db),
  };
  const cold = new Map<string, Execute>();
  const coldDb = new SqliteDb(db);
  for (const [kind, operation] of operations)
    if (operation.kind === "command") cold.set(kind, (_work, args) => operation.run(coldDb, args, context));
  return { tuned: new Map<string, Execute>(Object.entries(tuned)), cold };
}

const SAVE = change("SAVEPOINT command");
const UNDO = change("ROLLBACK TO command");
const RELEASE = change("RELEASE command");

export type CommitGroup = (
  group: readonly WriteCall[],
  until?: number,
) => Promise<readonly Settled<unknown>[]>;

export function groupWriter(
  db: Connection,
  context: Context,
  schemaVersion: number,
  operations = coldOperations,
): CommitGroup {
  const { tuned, cold } = executors(db, context, operations);
  const coldDb = new SqliteDb(db);
  /** Awaits only a cold command, or one with a key, so that a group without them runs to its end at once. */
  const execute = (work: SqliteUnitOfWork, [kind, args, key]: WriteCall): unknown => {
    const one = tuned.get(kind) ?? cold.get(kind);
    if (one === undefined) throw new Error(`no command ${kind}`);
    if (key === undefined) return one(work, args as never);
    return once(coldDb, key, subjectOf(kind, args), () => one(work, args as never));
  };
  /** Each command sees the changes of the commands before it. */
  const together = (
    calls: readonly WriteCall[],
    saveEach: boolean,
    until?: number,
  ): Promise<Settled<unknown>[]> =>
    db.transact(async () => {
      refuseWritesToNewer(appliedTo(db), schemaVersion);
      let work = new SqliteUnitOfWork(db, context.retention);
      const results: Settled<unknown>[] = [];
      for (const call of calls) {
        const isApart = saveEach || cold.has(call[0]);
        // A cold command may change what others look up, or read what they count.
        if (isApart) work.flush();
        // If it is the only one, the whole transaction is rolled back.
        const isSaved = isApart && calls.length > 1;
        if (isSaved) db.run(SAVE);
        try {
          const result = execute(work, call);
          const value: unknown = result instanceof Promise ? await result : result;
          if (saveEach) work.flush();
          results.push({ ok: true, value });
        } catch (error) {
          const failure = asStoreError(error);
          // One whose key was used for another request has changed nothing.
          const isAlone = isSaved || failure instanceof IdempotencyKeyReused;
          if (!isAlone || failure instanceof StoreUnavailable) throw failure;
          if (isSaved) {
            db.run(UNDO);
            work = new SqliteUnitOfWork(db, context.retention);
          }
          results.push({ ok: false, error: failure });
        }
        if (isSaved) db.run(RELEASE);
      }
      work.flush();
      return results;
    }, until);
  return async (group, until) => {
    for (let saveEach = false; ; saveEach = true) {
      try {
        return await together(group, saveEach, until);
      } catch (error) {
        const failure = asStoreError(error);
        // Executing it again is useless while the database is unavailable.
        if (group.length === 1 || saveEach || failure instanceof StoreUnavailable)
          return group.map(() => ({ ok: false, error: failure }));
      }
    }
  };
}

/** Changes only when another connection commits. */
const DATA_VERSION = statement({ data_version: integer }, "PRAGMA data_version");

type CommitStep = (call: WriteCall, until?: number) => Promise<readonly Settled<unknown>[]>;

/** Commits steps of background work, each alone, and reports what they meant for others. */
export function stepWriter(db: Connection, commit: CommitGroup): CommitStep {
  let lastVersion: number | null = null;
  return async (call, until) => {
    const version = db.get(DATA_VERSION)?.data_version ?? 0;
    const othersWrote = lastVersion !== null && version !== lastVersion;
    lastVersion = version;
    const results = await commit([call], until);
    const heldMs = performance.now() - db.lockedAt;
    return results.map((settled) =>
      settled.ok
        ? { ok: true, value: { value: settled.value, heldMs, othersWrote } satisfies CommittedStep }
        : settled,
    );
  };
}
