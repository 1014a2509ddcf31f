/**
 * Runs the test files that are its arguments in this process, one after the other: each one is a suite, so
 * its hooks are for its own tests, and what it has opened is closed before the next one is loaded.
 */
import { after, describe } from "node:test";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2))
  await new Promise<void>((ended) => {
    void describe(file, () => {
      // Of the outer suite, so that the next file is loaded also if a hook of this one fails.
      after(() => ended());
      void describe("tests", async () => {
        await import(pathToFileURL(file).href);
      });
    });
  });
