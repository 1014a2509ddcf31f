/**
 * Runs transactions one after the other on one session, which is opened on demand and reopened after it was
 * lost. A transaction that cannot have been committed is retried; a transaction that may have been is
 * answered as unavailable. Does not depend on what a transaction does.
 */
import { Socket } from "node:net";
import { Client } from "pg";
import { CommitUnknown } from "#domain/ports/errors.ts";
import {
  CONNECT_MS,
  Connection,
  ended,
  opened,
  type SessionOptions,
  type Statement,
  sessionConfig,
} from "./connection.ts";
import { isConflict, isLost } from "./failures.ts";

const MAX_ATTEMPTS = 3;

/** The outcome of a transaction's work: its result, and the statements to send together with the commit. */
export interface Done<T> {
  readonly result: T;
  readonly saves: readonly Statement[];
}

interface Progress<T> {
  /** What is being committed; null before that. */
  committing: Done<T> | null;
}

interface Session {
  readonly client: Client;
  readonly db: Connection;
  /** Ends the session at once, whatever it is doing. */
  readonly abandon: () => void;
}

export class Transactions {
  readonly #url: string;
  readonly #options: SessionOptions;
  #session: Session | null = null;

  constructor(url: string, options: SessionOptions) {
    this.#url = url;
    this.#options = { ...options, pipeline: true };
  }

  /** Transactions never overlap. Each one resolves or rejects within its time limit. */
  async run<T>(
    limitMs: number,
    work: (db: Connection, attempt: number) => Promise<Done<T>>,
    connectMs = CONNECT_MS,
  ): Promise<T> {
    const deadline = performance.now() + limitMs;
    for (let attempt = 1; ; attempt += 1) {
      const leftMs = deadline - performance.now();
      const session = this.#session ?? (await this.#open(Math.min(leftMs, connectMs)));
      const timer = setTimeout(session.abandon, Math.max(deadline - performance.now(), 0));
      const progress: Progress<T> = { committing: null };
      try {
        return await transact(session, (db) => work(db, attempt), progress);
      } catch (error) {
        const wasLost = isLost(error);
        if (wasLost) this.#giveUp(session);
        else await this.#rollBack(session);
        if (wasLost && progress.committing !== null)
          throw new CommitUnknown(
            "the connection to the database was lost during a commit: it is not known whether it was made",
            progress.committing.result,
          );
        const mayRetry = (wasLost || isConflict(error)) && attempt < MAX_ATTEMPTS;
        if (!mayRetry || performance.now() >= deadline) throw error;
      } finally {
        clearTimeout(timer);
      }
    }
  }

  async close(): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    this.#session = null;
    await ended(session.client, session.abandon);
  }

  async #open(limitMs: number): Promise<Session> {
    const socket = new Socket();
    const client = new Client({
      ...sessionConfig(this.#url, this.#options),
      connectionTimeoutMillis: Math.max(limitMs, 1),
      stream: () => socket,
    });
    const abandon = (): void => void socket.destroy();
    const session: Session = { client, db: new Connection(client, socket), abandon };
    // Without a listener, a connection lost between two transactions would end the process.
    client.on("error", () => this.#giveUp(session));
    client.on("end", () => this.#giveUp(session));
    await opened(client);
    this.#session = session;
    return session;
  }

  #giveUp(session: Session): void {
    if (this.#session === session) this.#session = null;
    session.abandon();
  }

  async #rollBack(session: Session): Promise<void> {
    try {
      await session.db.exec("ROLLBACK");
    } catch {
      this.#giveUp(session);
    }
  }
}

/**
 * Two round trips: BEGIN with the first statements of the work, and the saves with COMMIT, which rolls back
 * if one of them has failed. Nothing is awaited in between. Work that begins with a change needs a third.
 */
async function transact<T>(
  { db, abandon }: Session,
  work: (db: Connection) => Promise<Done<T>>,
  progress: Progress<T>,
): Promise<T> {
  const begin = async (): Promise<void> => {
    try {
      await db.begin();
    } catch (error) {
      // The work must not go on outside a transaction.
      abandon();
      throw error;
    }
  };
  const [, done] = await Promise.all([begin(), work(db)]);
  const { result, saves } = done;
  progress.committing = done;
  await Promise.all([...saves.map(({ sql, values }) => db.run(sql, ...values)), db.exec("COMMIT")]);
  return result;
}
