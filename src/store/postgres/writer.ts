/**
 * Commits groups of callers' commands: one load, each decided in its turn, one save, one commit. Where that fails by
 * a defect, nothing of the group is kept and each is tried alone, so that a bad one cannot take others with it.
 */
import { CommitUnknown, StoreUnavailable } from "../../domain/ports.ts";
import type { Retention } from "../../domain/refusal.ts";
import type { SubscriberId } from "../../domain/subscriber.ts";
import type { Settled } from "../group-commit.ts";
import { refuseWritesToNewer } from "../migrations.ts";
import { type CallerCommand, type CallerOutcome, decide } from "./caller-command.ts";
import type { Connection } from "./connection.ts";
import { asStoreError } from "./failures.ts";
import { probeWrite, type WriteProbe } from "./health.ts";
import { loadGroup } from "./load-group.ts";
import { saveGroup } from "./save-group.ts";
import { type Done, Transactions } from "./transactions.ts";
import { PostgresUnitOfWork } from "./work.ts";

/**
 * A command waits for at most one group, and then for its own: the two together, and connecting anew, stay below the
 * five seconds within which everybody is answered.
 */
const GROUP_MS = 2000;

/**
 * The server keeps the plan of a prepared statement until somebody analyses the table, which can be a minute after it
 * began to grow. A plan that was good for a hundred rows is not for a hundred thousand, so plans are made anew.
 */
const PLANS_MS = 1000;

/** The write probe goes the way of the calls for whose sake it is made: what stops them stops it. */
export type WriterCommand = CallerCommand | WriteProbe;

interface Waiting<Command> {
  readonly command: Command;
  /** When it was asked for, by `performance.now()`. */
  readonly since: number;
}
export type WaitingCommand = Waiting<WriterCommand>;
export type WriterOutcome = CallerOutcome | null;
type Answer = Settled<WriterOutcome>;
interface SettledGroup {
  readonly answers: readonly Answer[];
  readonly left: readonly SubscriberId[];
}

const isProbe = ({ command }: WaitingCommand): boolean => command.kind === "probeWrite";

const LATE: Answer = {
  ok: false,
  error: new StoreUnavailable("the database does not answer: it is too slow for what is asked of it"),
};

export class GroupWriter {
  readonly #transactions: Transactions;
  readonly #retention: Retention;
  readonly #schemaVersion: number;
  #freeIds: readonly SubscriberId[] = [];
  #plannedAt = performance.now();

  constructor(url: string, retention: Retention, schemaVersion: number) {
    this.#schemaVersion = schemaVersion;
    this.#transactions = new Transactions(url, { statementMs: GROUP_MS, byKeyOnly: true });
    this.#retention = retention;
  }

  /** Those that have waited for too long already are told so, and nothing is done for them. */
  async commit(waiting: readonly WaitingCommand[]): Promise<readonly Answer[]> {
    const now = performance.now();
    const isGrouped = (one: WaitingCommand): one is Waiting<CallerCommand> =>
      now - one.since <= GROUP_MS && !isProbe(one);
    const group = waiting.filter(isGrouped).map(({ command }) => command);
    const answers = await this.#answer(group, now + GROUP_MS);
    if (group.length === waiting.length) return answers;
    const probed = waiting.some(isProbe) ? await this.#probe(now + GROUP_MS) : LATE;
    let next = 0;
    return waiting.map((one) => {
      if (isProbe(one)) return probed;
      const answer = isGrouped(one) ? answers[next] : undefined;
      if (answer !== undefined) next += 1;
      return answer ?? LATE;
    });
  }

  close(): Promise<void> {
    return this.#transactions.close();
  }

  async #probe(deadline: number): Promise<Answer> {
    const limitMs = deadline - performance.now();
    if (limitMs <= 0) return LATE;
    try {
      return {
        ok: true,
        value: await this.#transactions.run(limitMs, (db) => probeWrite(db, this.#schemaVersion)),
      };
    } catch (error) {
      return { ok: false, error: asStoreError(error) };
    }
  }

  async #answer(group: readonly CallerCommand[], deadline: number): Promise<readonly Answer[]> {
    if (group.length === 0) return [];
    // Ids are free for good only by a commit: after a crash the server gives those again of a transaction that had none.
    const freeIds = this.#freeIds;
    this.#freeIds = [];
    try {
      const limitMs = deadline - performance.now();
      const { answers, left } = await this.#transactions.run(limitMs, (db) =>
        this.#settle(db, group, [...freeIds]),
      );
      this.#freeIds = left;
      return answers;
    } catch (error) {
      const failure = asStoreError(error);
      if (failure instanceof CommitUnknown) return unknownAnswers(failure);
      // Nobody gets further alone while the database itself does not answer.
      if (group.length === 1 || failure instanceof StoreUnavailable)
        return group.map(() => ({ ok: false, error: failure }));
    }
    const answers: Answer[] = [];
    for (const command of group) answers.push(...(await this.#answer([command], deadline)));
    return answers;
  }

  async #settle(
    db: Connection,
    group: readonly CallerCommand[],
    freeIds: SubscriberId[],
  ): Promise<Done<SettledGroup>> {
    const [set] = await Promise.all([loadGroup(db, group, freeIds), this.#renewPlans(db)]);
    refuseWritesToNewer(set.schema, this.#schemaVersion);
    const work = new PostgresUnitOfWork(set);
    const answers = group.map((command): Answer => {
      const { account } = command.args;
      return set.accounts.has(account)
        ? { ok: true, value: decide(work, command) }
        : { ok: false, error: new Error(`no account ${account}`) };
    });
    return { result: { answers, left: freeIds }, saves: saveGroup(set, this.#retention) };
  }

  /** For the group after this one. */
  async #renewPlans(db: Connection): Promise<void> {
    const now = performance.now();
    if (now - this.#plannedAt < PLANS_MS) return;
    this.#plannedAt = now;
    await db.exec("DISCARD PLANS");
  }
}

/** Each command is told what itself would come to. */
const unknownAnswers = ({ message, result }: CommitUnknown): readonly Answer[] =>
  (result as SettledGroup).answers.map((answer) =>
    answer.ok ? { ok: false, error: new CommitUnknown(message, answer.value) } : answer,
  );
