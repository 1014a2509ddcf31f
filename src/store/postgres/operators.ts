/**
 * Writes of admin commands and steps of jobs: one after the other, each in its own transaction under its
 * account's lock.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Idempotency } from "#domain/idempotency.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { type Context, coldOperations } from "../cold/features.ts";
import { once } from "../cold/idempotency.ts";
import { type OpenOptions, refuseWritesToNewer } from "../migrations.ts";
import type { CommittedStep } from "../writes/callers-first.ts";
import { ownerOf } from "../writes/command-scheduling.ts";
import type { Settled } from "../writes/group-commit.ts";
import { subjectOf } from "../writes/idempotency.ts";
import { PostgresDb } from "./cold-db.ts";
import { appliedTo, migratePatiently } from "./migrate.ts";
import { ANY_PLAN, CONNECT_MS, type Connection, type Statement } from "./sessions/connection.ts";
import { asStoreError, isStarting, LATE } from "./sessions/failures.ts";
import { type AccountLock, lockAccounts } from "./sessions/locks.ts";
import { Transactions } from "./sessions/transactions.ts";

export interface OperatorCommand {
  readonly kind: string;
  readonly args: object;
  /** Of a request that may be repeated. */
  readonly key: Idempotency | undefined;
  /** When it was submitted, by `performance.now()`. */
  readonly since: number;
}

const SHORT_MS = 3500;
/**
 * How long a command may take from its arrival: also while it waits for its turn. Every call is answered
 * within five seconds.
 */
const ANSWER_MS = 4000;
/** How long a migration takes depends on the size of the tables. */
const LONG_MS = 600_000;
/** How long a server that starts is waited for, and how long to pause before the next attempt. */
const START_MS = 30_000;
const PAUSE_MS = 500;

export class Operators {
  readonly #transactions: Transactions;
  readonly #context: Context;
  #schemaVersion = 0;
  #lastLock: AccountLock | null = null;

  constructor(url: string, context: Context) {
    // A step of a job changes few of many subscribers: without this, the server reads all of them.
    this.#transactions = new Transactions(url, { statementMs: SHORT_MS, byKeyOnly: true });
    this.#context = context;
  }

  /** Must run before everything else. */
  async migrate(now: number, options: OpenOptions): Promise<number> {
    const { onWaiting } = options;
    const until = performance.now() + (onWaiting === undefined ? 0 : START_MS);
    for (let attempt = 0; ; attempt += 1) {
      const leftMs = until - performance.now();
      // Longer each time, for a server that accepts connections but is slow to answer.
      const connectMs = attempt === 0 ? CONNECT_MS : Math.min(CONNECT_MS * 2 ** attempt, leftMs);
      try {
        this.#schemaVersion = await this.#migrate(now, options, connectMs);
        return this.#schemaVersion;
      } catch (error) {
        if (until - performance.now() < PAUSE_MS || !isStarting(error)) throw error;
        if (attempt === 0) onWaiting?.(asStoreError(error).message);
        await delay(PAUSE_MS);
      }
    }
  }
  #migrate(now: number, options: OpenOptions, connectMs: number): Promise<number> {
    const inTransaction = <T>(work: (db: Connection) => Promise<T>): Promise<T> =>
      this.#transactions.run(
        LONG_MS,
        async (db) => {
          await db.exec(`SET LOCAL statement_timeout = ${LONG_MS}; ${ANY_PLAN}`);
          return { result: await work(db), saves: [] };
        },
        connectMs,
      );
    return migratePatiently(inTransaction, now, options);
  }

  /** In order. If the database is unavailable, the remaining commands fail at once. */
  async execute(commands: readonly OperatorCommand[]): Promise<readonly Settled<CommittedStep>[]> {
    const results: Settled<CommittedStep>[] = [];
    let failure: StoreUnavailable | null = null;
    for (const command of commands) {
      const result: Settled<CommittedStep> =
        failure === null ? await this.#one(command) : { ok: false, error: failure };
      if (!result.ok && result !== LATE && result.error instanceof StoreUnavailable)
        failure = new StoreUnavailable(result.error.message);
      results.push(result);
    }
    return results;
  }

  close(): Promise<void> {
    return this.#transactions.close();
  }

  /**
   * Whether others have written in the account since the last command here. If that was about another
   * account, it is not known, and callers get the pause.
   */
  #othersWrote(lock: AccountLock | null): boolean {
    if (lock === null) return false;
    const last = this.#lastLock;
    this.#lastLock = lock;
    return last !== null && !lock.before.has(last.transaction);
  }

  async #one({ kind, args, key, since }: OperatorCommand): Promise<Settled<CommittedStep>> {
    const operation = coldOperations.get(kind);
    if (operation?.kind !== "command") return { ok: false, error: new Error(`no command ${kind}`) };
    const leftMs = since + ANSWER_MS - performance.now();
    if (leftMs <= 0) return LATE;
    try {
      let lockedAt = 0;
      let lock: AccountLock | null = null;
      const check = async (db: Connection): Promise<void> => {
        const account = operation.locksAccount === false ? null : ownerOf(args);
        const locking = account === null ? null : lockAccounts(db, [account]);
        const [applied, locked] = await Promise.all([appliedTo(db), locking]);
        refuseWritesToNewer(applied, this.#schemaVersion);
        lockedAt = performance.now();
        lock = locked;
      };
      const execute = async (db: Connection, saves: Statement[]): Promise<unknown> => {
        // Sent together, and executed in order. Neither may go on when the transaction is rolled back.
        const [checked, done] = await Promise.allSettled([
          check(db),
          operation.run(new PostgresDb(db, saves), args as never, this.#context),
        ]);
        if (checked.status === "rejected") throw checked.reason;
        if (done.status === "rejected") throw done.reason;
        return done.value;
      };
      const value = await this.#transactions.run(Math.min(SHORT_MS, leftMs), async (db) => {
        const saves: Statement[] = [];
        const result = await (key === undefined
          ? execute(db, saves)
          : once(new PostgresDb(db), key, subjectOf(kind, args), () => execute(db, saves)));
        return { result, saves };
      });
      const heldMs = performance.now() - lockedAt;
      return { ok: true, value: { value, heldMs, othersWrote: this.#othersWrote(lock) } };
    } catch (error) {
      return { ok: false, error: asStoreError(error) };
    }
  }
}
