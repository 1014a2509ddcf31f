/**
 * Commits groups of writes: each is loaded, decided and saved in order, all in one transaction. If one of
 * them fails, nothing of the group is saved and each is retried alone, so that a bad one fails alone.
 */
import type { Idempotency } from "../../domain/idempotency.ts";
import { IdempotencyKeyReused, StoreUnavailable } from "../../domain/ports/errors.ts";
import { type Context, coldOperations } from "../cold/features.ts";
import { once } from "../cold/idempotency.ts";
import type { Args, Result, TunedCommand } from "../methods.ts";
import { refuseWritesToNewer } from "../migrations.ts";
import { callerCommands } from "../writes/caller-commands.ts";
import type { Settled } from "../writes/group-commit.ts";
import { subjectOf } from "../writes/idempotency.ts";
import { SqliteDb } from "./cold-db.ts";
import { asStoreError, type Connection } from "./connection.ts";
import { probeWrite } from "./health.ts";
import { importPeople } from "./hot/import.ts";
import { SqliteUnitOfWork } from "./hot/work.ts";
import { appliedTo } from "./migrate.ts";

/** `key`: of a request that may be repeated. */
export type WriteCall = readonly [kind: string, args: object, key?: Idempotency];
/** A group of calls, or a step of background work. */
export type WriterCall = readonly WriteCall[] | { readonly step: WriteCall };

/** A cold command returns a promise. */
type Execute = (work: SqliteUnitOfWork, args: never) => unknown;
type ExecuteTuned = {
  readonly [K in TunedCommand]: (work: SqliteUnitOfWork, args: Args<K>) => Result<K>;
};

function executors(
  db: Connection,
  context: Context,
  operations: typeof coldOperations,
): ReadonlyMap<string, Execute> {
  const tuned: ExecuteTuned = {
    ...callerCommands,
    "imports.add": importPeople,
    "health.probeWrite": () => probeWrite(db),
  };
  const all = new Map<string, Execute>(Object.entries(tuned));
  const cold = new SqliteDb(db);
  for (const [kind, operation] of operations)
    if (operation.kind === "command")
      all.set(kind, (work, args) => {
        // It may change what others look up, or read what they count.
        work.flush();
        return operation.run(cold, args, context);
      });
  return all;
}

export type CommitGroup = (group: readonly WriteCall[]) => Promise<readonly Settled<unknown>[]>;

export function groupWriter(
  db: Connection,
  context: Context,
  schemaVersion: number,
  operations = coldOperations,
): CommitGroup {
  const execute = executors(db, context, operations);
  const cold = new SqliteDb(db);
  const withKey = async (
    [kind, args]: WriteCall,
    key: Idempotency,
    run: () => unknown,
  ): Promise<Settled<unknown>> => {
    try {
      return { ok: true, value: await once(cold, key, subjectOf(kind, args), run) };
    } catch (error) {
      // It has changed nothing, so the rest of the group is saved.
      if (error instanceof IdempotencyKeyReused) return { ok: false, error };
      throw error;
    }
  };
  /**
   * Each command sees the changes of those before it. Awaits only a cold command, or one with a key, so that
   * a group without them runs to its end at once.
   */
  const together = (calls: readonly WriteCall[]): Promise<Settled<unknown>[]> =>
    db.transact(async () => {
      refuseWritesToNewer(appliedTo(db), schemaVersion);
      const work = new SqliteUnitOfWork(db, context.retention);
      const results: Settled<unknown>[] = [];
      for (const call of calls) {
        const [kind, args, key] = call;
        const one = execute.get(kind);
        if (one === undefined) throw new Error(`no command ${kind}`);
        if (key !== undefined) {
          results.push(await withKey(call, key, () => one(work, args as never)));
          continue;
        }
        const result = one(work, args as never);
        results.push({ ok: true, value: result instanceof Promise ? await result : result });
      }
      work.flush();
      return results;
    });
  const alone = async (call: WriteCall): Promise<readonly Settled<unknown>[]> => {
    try {
      return await together([call]);
    } catch (error) {
      return [{ ok: false, error: asStoreError(error) }];
    }
  };
  return async (group) => {
    if (group.length > 1) {
      try {
        return await together(group);
      } catch (error) {
        const failure = asStoreError(error);
        // Retrying alone is useless while the database is unavailable.
        if (failure instanceof StoreUnavailable) return group.map(() => ({ ok: false, error: failure }));
      }
    }
    const results: Settled<unknown>[] = [];
    for (const call of group) results.push(...(await alone(call)));
    return results;
  };
}
