/**
 * Commits groups of writes: each is loaded, decided and saved in its turn, all in one transaction. Where one
 * of them fails, nothing of the group is kept and each is tried alone, so that a bad one cannot take others
 * with it.
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
import { importPeople } from "./import.ts";
import { finishImport, startImport } from "./import-batches.ts";
import { adoptList, createField, createList, deleteList, emptyList, renameList } from "./lists.ts";
import { appliedTo } from "./migrate.ts";
import { dismissRefusal, purgeRefusals } from "./refusals.ts";
import { SqliteUnitOfWork } from "./work.ts";

export type WriteCall = { readonly [K in keyof Writes]: readonly [K, Writes[K]["args"]] }[keyof Writes];
export type WriteResult = Writes[keyof Writes]["result"];

type Execute = {
  readonly [K in keyof Writes]: (work: SqliteUnitOfWork, args: Writes[K]["args"]) => Writes[K]["result"];
};

/** A command that changes what others look up, or looks at what they count. */
const settled =
  <Args, Result>(execute: (db: Connection, args: Args) => Result) =>
  (work: SqliteUnitOfWork, args: Args): Result => {
    work.settle();
    return execute(work.db, args);
  };

const executors = (retention: Retention): Execute => ({
  ...callerCommands,
  importPeople,
  startImport: settled(startImport),
  finishImport: settled(finishImport),
  applyBlock,
  eraseSubscriber: settled(eraseSubscriber),
  eraseRefusals: settled(eraseRefusals),
  block: settled(block),
  unblock: settled(unblock),
  firstStart: settled(firstStart),
  createAccount: settled(createAccount),
  renameAccount: settled(renameAccount),
  setAccount: settled(setAccount),
  createKey: settled(createKey),
  revokeKey: settled(revokeKey),
  touchKeys: settled(touchKeys),
  createList: settled(createList),
  adoptList: settled(adoptList),
  renameList: settled(renameList),
  emptyList: settled(emptyList),
  deleteList: settled(deleteList),
  createField: settled(createField),
  recordCampaign: settled(recordCampaign),
  dismissRefusal: settled(dismissRefusal),
  purgeRefusals: settled((db, args) => purgeRefusals(db, args, retention)),
  probeWrite: settled(probeWrite),
});

export type CommitGroup = (group: readonly WriteCall[]) => readonly Settled<WriteResult>[];

export function groupWriter(db: Connection, retention: Retention, schemaVersion: number): CommitGroup {
  const execute = executors(retention);
  /** Each upon what those before it left. */
  const together = (calls: readonly WriteCall[]): Settled<WriteResult>[] =>
    db.transaction(() => {
      refuseWritesToNewer(appliedTo(db), schemaVersion);
      const work = new SqliteUnitOfWork(db, retention);
      const results = calls.map(([kind, args]): Settled<WriteResult> => {
        const one = execute[kind] as (work: SqliteUnitOfWork, given: WriteCall[1]) => WriteResult;
        return { ok: true, value: one(work, args) };
      });
      work.settle();
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
        // Nobody gets further alone while the database itself does not answer.
        if (failure instanceof StoreUnavailable) return group.map(() => ({ ok: false, error: failure }));
      }
    }
    return group.flatMap(alone);
  };
}
