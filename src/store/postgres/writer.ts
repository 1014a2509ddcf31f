/**
 * Commits groups of callers' commands: one load, decisions in order, one save, one commit. If a defect makes
 * that fail, nothing of the group is saved and each command is retried alone, so that a bad one fails alone.
 */
import { CommitUnknown, IdempotencyKeyReused, StoreUnavailable } from "#domain/ports/errors.ts";
import type { Retention } from "#domain/refused-call.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import { refuseWritesToNewer } from "../migrations.ts";
import type { Settled } from "../writes/group-commit.ts";
import { type Kept, subjectOf } from "../writes/idempotency.ts";
import { probeWrite, type WriteProbe } from "./health.ts";
import { type CallerCommand, type CallerOutcome, decide } from "./hot/caller-command.ts";
import { GroupResults } from "./hot/idempotency.ts";
import { loadGroup } from "./hot/load-group.ts";
import { saveGroup } from "./hot/save-group.ts";
import { PostgresUnitOfWork } from "./hot/unit-of-work.ts";
import type { WorkingSet } from "./hot/working-set.ts";
import type { Connection } from "./sessions/connection.ts";
import { asStoreError, LATE } from "./sessions/failures.ts";
import { type Done, Transactions } from "./sessions/transactions.ts";

/**
 * A command waits for at most one group before its own. Both, with a reconnect, stay below the five seconds
 * within which every call is answered.
 */
const GROUP_MS = 2000;

/**
 * The server keeps the plan of a prepared statement until the table is analysed, which can be a minute after
 * it began to grow. A plan for a hundred rows is bad for a hundred thousand, so plans are renewed.
 */
const PLANS_MS = 1000;

/** The write probe takes the same path as the calls it stands for: what stops them stops it. */
export type WriterCommand = CallerCommand | WriteProbe;

interface Waiting<Command> {
  readonly command: Command;
  /** When it was submitted, by `performance.now()`. */
  readonly since: number;
}
export type WaitingCommand = Waiting<WriterCommand>;
export type WriterOutcome = CallerOutcome | Kept | null;
type Answer = Settled<WriterOutcome>;
interface DecidedGroup {
  readonly answers: readonly Answer[];
  readonly left: readonly SubscriberId[];
}

const isProbe = ({ command }: WaitingCommand): boolean => command.kind === "health.probeWrite";

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

  /** Commands that have already waited too long fail, and no work is done for them. */
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
    // Only a commit makes ids safe to keep: after a crash the server assigns the ids of an uncommitted
    // transaction again.
    const freeIds = this.#freeIds;
    this.#freeIds = [];
    try {
      const limitMs = deadline - performance.now();
      const { answers, left } = await this.#transactions.run(limitMs, (db, attempt) =>
        this.#decideGroup(db, group, [...freeIds], attempt > 1),
      );
      this.#freeIds = left;
      return answers;
    } catch (error) {
      const failure = asStoreError(error);
      if (failure instanceof CommitUnknown) return unknownAnswers(failure);
      // Retrying alone is useless while the database is unavailable.
      if (group.length === 1 || failure instanceof StoreUnavailable)
        return group.map(() => ({ ok: false, error: failure }));
    }
    const answers: Answer[] = [];
    for (const command of group) answers.push(...(await this.#answer([command], deadline)));
    return answers;
  }

  async #decideGroup(
    db: Connection,
    group: readonly CallerCommand[],
    freeIds: SubscriberId[],
    isAlone: boolean,
  ): Promise<Done<DecidedGroup>> {
    const keys = group.flatMap(({ key }) => key ?? []);
    const results = keys.length === 0 ? null : new GroupResults();
    const [, set] = await Promise.all([
      // Sent first: while a repeat on another node waits for the first one, it holds no other locks.
      results?.load(db, keys),
      loadGroup(db, group, freeIds, isAlone),
      this.#renewPlans(db),
    ]);
    refuseWritesToNewer(set.schema, this.#schemaVersion);
    const work = new PostgresUnitOfWork(set);
    const answers = group.map((command) => answerOf(set, work, results, command));
    const saves = saveGroup(set, this.#retention);
    return { result: { answers, left: freeIds }, saves: [...saves, ...(results?.saves ?? [])] };
  }

  /** Takes effect for the next group. */
  async #renewPlans(db: Connection): Promise<void> {
    const now = performance.now();
    if (now - this.#plannedAt < PLANS_MS) return;
    this.#plannedAt = now;
    await db.exec("DISCARD PLANS");
  }
}

function answerOf(
  set: WorkingSet,
  work: PostgresUnitOfWork,
  results: GroupResults | null,
  command: CallerCommand,
): Answer {
  const { kind, args, key } = command;
  if (!set.accounts.has(args.account)) {
    const error = new Error(`no account ${args.account}`);
    // Rolled back with its key.
    if (key !== undefined) throw error;
    return { ok: false, error };
  }
  if (key === undefined || results === null) return { ok: true, value: decide(work, command) };
  try {
    return { ok: true, value: results.once(key, subjectOf(kind, args), () => decide(work, command)) };
  } catch (error) {
    // It has changed nothing, and the key is that of another request, so the rest of the group is saved.
    if (error instanceof IdempotencyKeyReused) return { ok: false, error };
    throw error;
  }
}

/** Each command gets the result that it would have had. */
const unknownAnswers = ({ message, result }: CommitUnknown): readonly Answer[] =>
  (result as DecidedGroup).answers.map((answer) =>
    answer.ok ? { ok: false, error: new CommitUnknown(message, answer.value) } : answer,
  );
