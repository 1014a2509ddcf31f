/**
 * The thread that reads pages of long lists. The driver leaves so much garbage per page that collecting it
 * would delay every other call of the process. Pages are read concurrently, each on its own connection.
 */
import { parentPort, workerData } from "node:worker_threads";
import { movable, OPENED, type Question, type Reply, sendable } from "../../threads/thread-protocol.ts";
import { ListReader, type PageCall } from "../hot/list-reader.ts";
import { type ListThreadData, shareConnections } from "./shared-connections.ts";

const port = parentPort;
if (port === null) throw new Error("this module must run in a worker thread");
const { url, replica, shared } = workerData as ListThreadData;
const lists = new ListReader(url, replica);
const publish = (): void => shareConnections(shared, lists.connections);
lists.onChange(publish);

const send = (reply: Reply): void => port.postMessage(reply, "value" in reply ? movable(reply.value) : []);
async function answer(id: number, work: () => Promise<unknown>): Promise<void> {
  try {
    send({ id, value: await work() });
  } catch (error) {
    send({ id, error: sendable(error instanceof Error ? error : new Error(String(error))) });
  }
}
const reading = new Set<Promise<void>>();
async function read(id: number, call: PageCall): Promise<void> {
  const page = answer(id, () => lists.page(call));
  reading.add(page);
  publish();
  await page;
  reading.delete(page);
  // Its connection is idle again, which the pool does not report.
  publish();
}
async function close(id: number): Promise<void> {
  await Promise.all(reading);
  await answer(id, async () => {
    await lists.close();
    publish();
  });
  port?.close();
}

send({ id: OPENED, value: null });
port.on("message", ({ id, call }: Question) => void (call === null ? close(id) : read(id, call as PageCall)));
