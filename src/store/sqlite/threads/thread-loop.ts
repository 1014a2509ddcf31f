/**
 * The main loop of a thread that owns a connection: open, answer requests one after the other, close. Waiting
 * requests are answered in rotation of their accounts. An answer may be a promise: the next request is begun
 * after it. A walk is begun when nothing else waits, and others are answered in its pauses.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { ReadQueue } from "../../reads/read-queue.ts";
import { movable, OPENED, type Question, type Reply, sendable } from "../../threads/thread-protocol.ts";
import type { Owner } from "../../writes/fair-queue.ts";
import { asStoreError, type Connection } from "../connection.ts";
import { requireSameFiles } from "../file/database-file.ts";
import type { OpenedDatabase, ThreadData } from "./thread-data.ts";

export interface Opened extends OpenedDatabase {
  readonly db: Connection;
  readonly answer: (call: unknown) => unknown;
  /**
   * The account of a request, and whether it continues a listing. Without it, requests are answered in order.
   */
  readonly turnOf?: (call: unknown) => Turn;
}
export interface Turn {
  readonly owner: Owner;
  readonly isContinued: boolean;
  readonly isWalk: boolean;
}
const inOrder = (): Turn => ({ owner: null, isContinued: false, isWalk: false });

/** `pause` is for walks. */
export type OpenDatabase = (data: ThreadData, pause: () => Promise<void>) => Opened;

/** The main thread imports the module of a thread, too: `OwnThread` then runs it. */
export function runThread(open: OpenDatabase): void {
  if (parentPort !== null) answerRequests(parentPort, workerData as ThreadData, open);
}

export function answerRequests(port: MessagePort, data: ThreadData, open: OpenDatabase): void {
  const send = (reply: Reply): void => port.postMessage(reply, "value" in reply ? movable(reply.value) : []);
  const attempt = async (id: number, work: () => unknown): Promise<void> => {
    try {
      const value = work();
      send({ id, value: value instanceof Promise ? await value : value });
    } catch (error) {
      send({ id, error: sendable(asStoreError(error)) });
    }
  };
  const thread: { opened: Opened | null } = { opened: null };
  let answerWaiting = async (): Promise<void> => {};
  const pause = (): Promise<void> => answerWaiting();
  // Opening is synchronous, so the result is there at once.
  void attempt(OPENED, () => {
    thread.opened = open(data, pause);
    const { schemaVersion, files } = thread.opened;
    return { schemaVersion, files } satisfies OpenedDatabase;
  });
  if (thread.opened === null) {
    port.close();
    return;
  }
  const { db, files, answer, turnOf = inOrder } = thread.opened;
  const answerFromSameFiles = (call: unknown): unknown => {
    requireSameFiles(files);
    return answer(call);
  };
  const [waiting, walks] = [new ReadQueue<Question>(), new ReadQueue<Question>()];
  let closing: Question | null = null;
  const take = (question: Question): void => {
    if (question.call === null) closing = question;
    else {
      const { owner, isContinued, isWalk } = turnOf(question.call);
      (isWalk ? walks : waiting).add(question, owner, isContinued);
    }
  };
  /** Requests that have arrived meanwhile may go before waiting ones. */
  const takeArrived = (): void => {
    for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port))
      take(more.message as Question);
  };
  const answerFrom = async (next: () => Question | undefined): Promise<void> => {
    for (let question = next(); question !== undefined; question = next()) {
      const { id, call } = question;
      await attempt(id, () => answerFromSameFiles(call));
      takeArrived();
    }
  };
  answerWaiting = async () => {
    takeArrived();
    await answerFrom(() => waiting.take());
  };
  let isAnswering = false;
  const answerAll = async (): Promise<void> => {
    isAnswering = true;
    await answerFrom(() => waiting.take() ?? walks.take());
    isAnswering = false;
    if (closing === null) return;
    await attempt(closing.id, () => db.close());
    port.close();
  };
  port.on("message", (question: Question) => {
    take(question);
    // What arrives during an answer is taken when it is finished.
    if (!isAnswering) void answerAll();
  });
}
