/** The life of a thread that owns a connection: open, answer one question after another, close. */
import { parentPort, workerData } from "node:worker_threads";
import { asStoreError, type Connection } from "./connection.ts";
import { requireInPlace } from "./file-place.ts";
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
}

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
    const { schemaVersion, place } = opened;
    return { schemaVersion, place } satisfies OpenedDatabase;
  });
  if (opened === null) {
    port.close();
    return;
  }
  const { db, place, answer }: Opened = opened;
  const answerInPlace = (call: unknown): unknown => {
    requireInPlace(place);
    return answer(call);
  };
  port.on("message", ({ id, call }: Question) => {
    if (call !== null) return attempt(id, () => answerInPlace(call));
    attempt(id, () => db.close());
    port.close();
  });
}
