/** Runs the entry of a thread once for each database: see reused-threads.ts. */
import { flushCompileCache, syncBuiltinESMExports } from "node:module";
import workers from "node:worker_threads";
import type { Use } from "./reused-threads.ts";

let uses = 0;
workers.parentPort?.on("message", ({ entry, data, port }: Use) => {
  Object.assign(workers, { parentPort: port, workerData: data });
  syncBuiltinESMExports();
  uses += 1;
  // With a search, the entry itself runs again; all that it imports is there already.
  void import(`${entry}?use=${uses}`).then(() => flushCompileCache());
});
