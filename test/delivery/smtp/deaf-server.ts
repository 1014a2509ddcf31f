/**
 * A server that listens and never accepts a connection: its thread is blocked. When its short backlog is
 * full, the system drops further attempts to connect, as a firewall does.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

export interface DeafServer extends AsyncDisposable {
  readonly port: number;
}

const LISTEN_AND_BLOCK = `
  const { createServer } = require("node:net");
  const { parentPort } = require("node:worker_threads");
  const server = createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
  });
`;

export async function startDeafServer(): Promise<DeafServer> {
  const worker = new Worker(LISTEN_AND_BLOCK, { eval: true });
  const [port] = (await once(worker, "message")) as [number];
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      await worker.terminate();
    },
  };
}
