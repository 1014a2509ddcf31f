/** Rewrites the file, and ends. It takes seconds per gigabyte, so no other thread can do it in passing. */
import { parentPort, workerData } from "node:worker_threads";
import { OPENED, type Reply, sendable } from "../../threads/thread-protocol.ts";
import { requireSameFiles } from "../file/file-identity.ts";
import { rewrite } from "../file/rewrite.ts";
import type { ThreadData } from "./thread-data.ts";

const { file, files } = workerData as ThreadData;

function answer(): Reply {
  try {
    if (files === null) throw new Error("the writer thread must open the database first");
    requireSameFiles(files);
    rewrite(file);
    return { id: OPENED, value: null };
  } catch (error) {
    return { id: OPENED, error: sendable(error as Error) };
  }
}
parentPort?.postMessage(answer());
