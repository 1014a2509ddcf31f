/**
 * The life of a thread that owns a connection: open, answer one question after another, close. Questions that wait are
 * answered in rotation of the accounts that they are about.
 */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Owner } from "../fair-queue.ts";
import { ReadQueue } from "../read-queue.ts";
import { asStoreError, type Connection } from "./connection.ts";
import { requireSameFiles } from "./file-place.ts";
import {
  movable,
  OPENED,
  type OpenedDatabase,
  type Question,
  type Reply,
  sendable,
  type ThreadData,
} from "./thread-protocol.ts";

export interface Opened extends OpenedDatabase {
  readonly db: Connection;
  readonly answer: (call: unknown) => unknown;
  /** Whose turn a question is answered in, and whether it goes on with a list; without it, all are answered in their order. */
  readonly turnOf?: (call: unknown) => Turn;
}
export interface Turn {
  readonly owner: Owner;
  readonly isContinued: boolean;
}
const inOrder = (): Turn => ({ owner: null, isContinued: false });

export function runThread(open: (data: ThreadData) => Opened): void {
  const port = parentPort;
  if (port === null) throw new Error("not started as a thread");
  const send = (reply: Reply): void => port.postMessage(reply, "value" in reply ? movable(reply.value) : []);
  const attempt = (id: number, work: () => unknown): void => {
    try {
      send({ id, value: work() });
    } catch (error) {
      send({ id, error: sendable(asStoreError(error)) });
    }
  };
  let opened: Opened | null = null;
  attempt(OPENED, () => {
    opened = open(workerData as ThreadData);
    const { schemaVersion, files } = opened;
    return { schemaVersion, files } satisfies OpenedDatabase;
  });
  if (opened === null) {
    port.close();
    return;
  }
  const { db, files, answer, turnOf = inOrder }: Opened = opened;
  const answerFromSameFiles = (call: unknown): unknown => {
    requireSameFiles(files);
    return answer(call);
  };
  const waiting = new ReadQueue<Question>();
  let closing: Question | null = null;
  const take = (question: Question): void => {
    if (question.call === null) closing = question;
    else {
      const { owner, isContinued } = turnOf(question.call);
      waiting.add(question, owner, isContinued);
    }
  };
  port.on("message", (first: Question) => {
    take(first);
    for (let next = waiting.take(); next !== undefined; next = waiting.take()) {
      const { id, call } = next;
      attempt(id, () => answerFromSameFiles(call));
      // What has come meanwhile may have its turn before what waits already.
      for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port))
        take(more.message as Question);
    }
    if (closing === null) return;
    attempt(closing.id, () => db.close());
    port.close();
  });
}
