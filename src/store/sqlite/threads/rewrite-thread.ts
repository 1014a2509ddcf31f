/** Rewrites the file, and ends. It takes seconds per gigabyte, so no other thread can do it in passing. */
import { parentPort, workerData } from "node:worker_threads";
import { OPENED, type Reply, sendable } from "../../threads/thread-protocol.ts";
import { requireSameFiles } from "../file/database-file.ts";
import { rewrite } from "../file/rewrite.ts";
import type { ThreadData } from "./thread-data.ts";

/** `stopped` becomes 1 when the rewrite is to end early. */
export interface RewriteData extends ThreadData {
  readonly stopped: Int32Array<SharedArrayBuffer>;
}
const { file, files, stopped } = workerData as RewriteData;

function answer(): Reply {
  try {
    if (files === null) throw new Error("the writer thread must open the database first");
    requireSameFiles(files);
    return { id: OPENED, value: rewrite(file, () => Atomics.load(stopped, 0) === 1) };
  } catch (error) {
    return { id: OPENED, error: sendable(error as Error) };
  }
}
parentPort?.postMessage(answer());
