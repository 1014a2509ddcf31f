/** Writes of admin commands: one after the other, each in its own transaction under its account's lock. */
import { StoreUnavailable, type Writes } from "../../domain/ports.ts";
import type { Retention } from "../../domain/refusal.ts";
import type { CallerKind } from "../caller-commands.ts";
import type { Settled } from "../group-commit.ts";
import { refuseWritesToNewer } from "../migrations.ts";
import { createAccount, createKey, renameAccount, revokeKey, setAccount, touchKeys } from "./accounts.ts";
import { applyBlock, block, unblock } from "./blocks.ts";
import { recordCampaign } from "./campaigns.ts";
import { eraseRefusals, eraseSubscriber } from "./erasure.ts";
import { firstStart } from "./first-start.ts";
import type { WriteProbe } from "./health.ts";
import { finishImport, startImport } from "./import-batches.ts";
import { adoptList, createField, createList, deleteList, emptyList, renameList } from "./lists.ts";
import { appliedTo, migratePatiently } from "./migrate.ts";
import { dismissRefusal, purgeRefusals } from "./refusals.ts";
import type { Connection } from "./sessions/connection.ts";
import { asStoreError } from "./sessions/failures.ts";
import { lockAccounts } from "./sessions/locks.ts";
import { Transactions } from "./sessions/transactions.ts";

export type OperatorKind = Exclude<keyof Writes, CallerKind | WriteProbe["kind"]>;
export type OperatorCommand = {
  readonly [K in OperatorKind]: { readonly kind: K; readonly args: Writes[K]["args"] };
}[OperatorKind];
export type OperatorResult = Writes[OperatorKind]["result"];

type Execute = {
  readonly [K in OperatorKind]: (
    db: Connection,
    args: Writes[K]["args"],
    retention: Retention,
  ) => Promise<Writes[K]["result"]>;
};
const executors: Execute = {
  startImport,
  finishImport,
  block,
  unblock,
  applyBlock,
  eraseSubscriber,
  eraseRefusals,
  firstStart,
  createAccount,
  renameAccount,
  setAccount,
  createKey,
  revokeKey,
  touchKeys,
  createList,
  adoptList,
  renameList,
  emptyList,
  deleteList,
  createField,
  recordCampaign,
  dismissRefusal,
  purgeRefusals,
};

const SHORT_MS = 3500;
/** How long these take depends on the number of subscribers they concern. */
const LONG_MS = 600_000;
const long = new Set<OperatorKind>(["applyBlock", "emptyList", "deleteList", "purgeRefusals"]);
const takeLong = (db: Connection): Promise<void> => db.exec(`SET LOCAL statement_timeout = ${LONG_MS}`);

export class Operators {
  readonly #transactions: Transactions;
  readonly #retention: Retention;
  #schemaVersion = 0;

  constructor(url: string, retention: Retention) {
    this.#transactions = new Transactions(url, { statementMs: SHORT_MS });
    this.#retention = retention;
  }

  /** Must run before everything else. */
  async migrate(now: number, mayMigrate: boolean): Promise<number> {
    const inTransaction = <T>(work: (db: Connection) => Promise<T>): Promise<T> =>
      this.#transactions.run(LONG_MS, async (db) => {
        await takeLong(db);
        return { result: await work(db), saves: [] };
      });
    this.#schemaVersion = await migratePatiently(inTransaction, now, mayMigrate);
    return this.#schemaVersion;
  }

  /** In order. If the database is unavailable, the remaining commands fail at once. */
  async execute(commands: readonly OperatorCommand[]): Promise<readonly Settled<OperatorResult>[]> {
    const results: Settled<OperatorResult>[] = [];
    let failure: StoreUnavailable | null = null;
    for (const command of commands) {
      const result: Settled<OperatorResult> =
        failure === null ? await this.#one(command) : { ok: false, error: failure };
      if (!result.ok && result.error instanceof StoreUnavailable)
        failure = new StoreUnavailable(result.error.message);
      results.push(result);
    }
    return results;
  }

  close(): Promise<void> {
    return this.#transactions.close();
  }

  async #one({ kind, args }: OperatorCommand): Promise<Settled<OperatorResult>> {
    const execute = executors[kind] as (
      db: Connection,
      args: unknown,
      retention: Retention,
    ) => Promise<OperatorResult>;
    try {
      const value = await this.#transactions.run(long.has(kind) ? LONG_MS : SHORT_MS, async (db) => {
        if ("account" in args && typeof args.account === "number") await lockAccounts(db, [args.account]);
        refuseWritesToNewer(await appliedTo(db), this.#schemaVersion);
        if (long.has(kind)) await takeLong(db);
        return { result: await execute(db, args, this.#retention), saves: [] };
      });
      return { ok: true, value };
    } catch (error) {
      return { ok: false, error: asStoreError(error) };
    }
  }
}
