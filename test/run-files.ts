/**
 * Runs the test files that run.ts names in this process, one after the other: each one is a suite, so its
 * hooks are for its own tests, and what it has opened is closed before the next one is loaded.
 */
import { once } from "node:events";
import { flushCompileCache } from "node:module";
import { after, describe } from "node:test";
import { pathToFileURL } from "node:url";
import type { Next } from "./run.ts";

// A file may wait for something that keeps no process running.
process.channel?.ref();

async function nextFile(): Promise<string | undefined> {
  process.send?.("next");
  const [{ file }] = (await once(process, "message")) as [Next];
  return file;
}

for (let file = await nextFile(); file !== undefined; file = await nextFile()) {
  const name = file;
  await new Promise<void>((ended) => {
    void describe(name, () => {
      // Of the outer suite, so that the next file is loaded also if a hook of this one fails.
      after(() => ended());
      void describe("tests", async () => {
        await import(pathToFileURL(name).href);
      });
    });
  });
  // What it has compiled would be kept at the end only, and be compiled again by other processes and threads.
  flushCompileCache();
}
process.disconnect();
// What a failed test has left running would keep the process. The report is made by the first line.
setTimeout(() => {
  process.emit("beforeExit", 1);
  setTimeout(() => process.exit(1), 1000);
}, 10_000).unref();
