/** A thread of the store that ends when it is told to: what a crash looks like from outside. */
import { Connection } from "../../src/store/sqlite/connection.ts";
import { runThread } from "../../src/store/sqlite/thread-loop.ts";

runThread(({ file }) => ({
  db: new Connection(file, { readOnly: true }),
  schemaVersion: 0,
  files: [],
  answer: (call) => (call === "die" ? process.exit(1) : "alive"),
}));
