/**
 * Commits groups of writes: each is loaded, decided and saved in order, all in one transaction. If one of
 * them fails, nothing of the group is saved and each is retried alone, so that a bad one fails alone.
 */
import { StoreUnavailable, type Writes } from "../../domain/ports.ts";
import type { Retention } from "../../domain/refusal.ts";
import { callerCommands } from "../caller-commands.ts";
import type { Settled } from "../group-commit.ts";
import { refuseWritesToNewer } from "../migrations.ts";
import { createAccount, createKey, renameAccount, revokeKey, setAccount, touchKeys } from "./accounts.ts";
import { applyBlock, block, unblock } from "./blocks.ts";
import { recordCampaign } from "./campaigns.ts";
import { asStoreError, type Connection } from "./connection.ts";
import { eraseRefusals, eraseSubscriber } from "./erasure.ts";
import { firstStart } from "./first-start.ts";
import { probeWrite } from "./health.ts";
import { finishImport, importPeople } from "./hot/import.ts";
import { SqliteUnitOfWork } from "./hot/work.ts";
import { startImport } from "./import-batches.ts";
import { adoptList, createField, createList, deleteList, emptyList, renameList } from "./lists.ts";
import { appliedTo } from "./migrate.ts";
import { dismissRefusal, purgeRefusals } from "./refusals.ts";

export type WriteCall = { readonly [K in keyof Writes]: readonly [K, Writes[K]["args"]] }[keyof Writes];
export type WriteResult = Writes[keyof Writes]["result"];

type Execute = {
  readonly [K in keyof Writes]: (work: SqliteUnitOfWork, args: Writes[K]["args"]) => Writes[K]["result"];
};

/** For a command that changes what others look up, or reads what they count. */
const flushed =
  <Args, Result>(execute: (db: Connection, args: Args) => Result) =>
  (work: SqliteUnitOfWork, args: Args): Result => {
    work.flush();
    return execute(work.db, args);
  };

const executors = (retention: Retention): Execute => ({
  ...callerCommands,
  importPeople,
  startImport: flushed(startImport),
  finishImport: flushed(finishImport),
  applyBlock,
  eraseSubscriber: flushed(eraseSubscriber),
  eraseRefusals: flushed(eraseRefusals),
  block: flushed(block),
  unblock: flushed(unblock),
  firstStart: flushed(firstStart),
  createAccount: flushed(createAccount),
  renameAccount: flushed(renameAccount),
  setAccount: flushed(setAccount),
  createKey: flushed(createKey),
  revokeKey: flushed(revokeKey),
  touchKeys: flushed(touchKeys),
  createList: flushed(createList),
  adoptList: flushed(adoptList),
  renameList: flushed(renameList),
  emptyList: flushed(emptyList),
  deleteList: flushed(deleteList),
  createField: flushed(createField),
  recordCampaign: flushed(recordCampaign),
  dismissRefusal: flushed(dismissRefusal),
  purgeRefusals: flushed((db, args) => purgeRefusals(db, args, retention)),
  probeWrite: flushed(probeWrite),
});

export type CommitGroup = (group: readonly WriteCall[]) => readonly Settled<WriteResult>[];

export function groupWriter(db: Connection, retention: Retention, schemaVersion: number): CommitGroup {
  const execute = executors(retention);
  /** Each command sees the changes of those before it. */
  const together = (calls: readonly WriteCall[]): Settled<WriteResult>[] =>
    db.transaction(() => {
      refuseWritesToNewer(appliedTo(db), schemaVersion);
      const work = new SqliteUnitOfWork(db, retention);
      const results = calls.map(([kind, args]): Settled<WriteResult> => {
        const one = execute[kind] as (work: SqliteUnitOfWork, given: WriteCall[1]) => WriteResult;
        return { ok: true, value: one(work, args) };
      });
      work.flush();
      return results;
    });
  const alone = (call: WriteCall): readonly Settled<WriteResult>[] => {
    try {
      return together([call]);
    } catch (error) {
      return [{ ok: false, error: asStoreError(error) }];
    }
  };
  return (group) => {
    if (group.length > 1) {
      try {
        return together(group);
      } catch (error) {
        const failure = asStoreError(error);
        // Retrying alone is useless while the database is unavailable.
        if (failure instanceof StoreUnavailable) return group.map(() => ({ ok: false, error: failure }));
      }
    }
    return group.flatMap(alone);
  };
}
