/**
 * Commits groups of writes: each is loaded, decided and saved in its turn, all in one transaction. Where one of them
 * fails, nothing of the group is kept and each is tried alone, so that a bad one cannot take others with it.
 */
import { StoreUnavailable, type Writes } from "../../domain/ports.ts";
import type { Retention } from "../../domain/refusal.ts";
import type { Settled } from "../group-commit.ts";
import { createAccount, createKey, renameAccount, revokeKey, setAccount, touchKeys } from "./accounts.ts";
import { block, settleBlock, unblock } from "./blocks.ts";
import { recordCampaign } from "./campaigns.ts";
import { asStoreError, type Connection } from "./connection.ts";
import { firstStart } from "./first-start.ts";
import { importPeople } from "./import.ts";
import { addField, adoptList, createField, createList, deleteList, emptyList, renameList } from "./lists.ts";
import { dismissRefusal, forgetRefusals, keepRefusal, type RefusedCommand } from "./refusals.ts";
import {
  addSubscriber,
  addSubscriberWithData,
  reactivate,
  recordEvent,
  removeSubscriber,
  unsubscribe,
} from "./subscribers.ts";

export type WriteCall = { readonly [K in keyof Writes]: readonly [K, Writes[K]["args"]] }[keyof Writes];
export type WriteResult = Writes[keyof Writes]["result"];

type Execute = { readonly [K in keyof Writes]: (args: Writes[K]["args"]) => Writes[K]["result"] };

function executors(db: Connection, retention: Retention): Execute {
  /** A command that a caller made: what is refused is kept in the same transaction. */
  const kept =
    <Args extends RefusedCommand, Outcome extends string>(decide: (db: Connection, args: Args) => Outcome) =>
    (args: Args): Outcome => {
      const outcome = decide(db, args);
      if (outcome !== "Done") keepRefusal(db, args, outcome, retention);
      return outcome;
    };
  return {
    addSubscriber: kept(addSubscriber),
    addSubscriberWithData: kept(addSubscriberWithData),
    removeSubscriber: kept(removeSubscriber),
    unsubscribe: kept(unsubscribe),
    addField: kept(addField),
    reactivate: (args) => reactivate(db, args),
    recordEvent: (args) => recordEvent(db, args),
    importPeople: (args) => importPeople(db, args),
    block: (args) => block(db, args),
    unblock: (args) => unblock(db, args),
    settleBlock: (args) => settleBlock(db, args),
    firstStart: (args) => firstStart(db, args),
    createAccount: (args) => createAccount(db, args),
    renameAccount: (args) => renameAccount(db, args),
    setAccount: (args) => setAccount(db, args),
    createKey: (args) => createKey(db, args),
    revokeKey: (args) => revokeKey(db, args),
    touchKeys: (args) => touchKeys(db, args),
    createList: (args) => createList(db, args),
    adoptList: (args) => adoptList(db, args),
    renameList: (args) => renameList(db, args),
    emptyList: (args) => emptyList(db, args),
    deleteList: (args) => deleteList(db, args),
    createField: (args) => createField(db, args),
    recordCampaign: (args) => recordCampaign(db, args),
    dismissRefusal: (args) => dismissRefusal(db, args),
    forgetRefusals: (args) => forgetRefusals(db, args, retention),
  };
}

export type CommitGroup = (group: readonly WriteCall[]) => readonly Settled<WriteResult>[];

export function groupWriter(db: Connection, retention: Retention): CommitGroup {
  const execute = executors(db, retention);
  const one = ([kind, args]: WriteCall): WriteResult =>
    (execute[kind] as (given: WriteCall[1]) => WriteResult)(args);
  const alone = (call: WriteCall): Settled<WriteResult> => {
    try {
      return { ok: true, value: db.transaction(() => one(call)) };
    } catch (error) {
      return { ok: false, error: asStoreError(error) };
    }
  };
  return (group) => {
    if (group.length > 1) {
      try {
        return db.transaction(() => group.map((call) => ({ ok: true, value: one(call) })));
      } catch (error) {
        const failure = asStoreError(error);
        // Nobody gets further alone while the database itself does not answer.
        if (failure instanceof StoreUnavailable) return group.map(() => ({ ok: false, error: failure }));
      }
    }
    return group.map(alone);
  };
}
