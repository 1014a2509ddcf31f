/** A store thread that exits on command, as in a crash. */
import { Connection } from "#store/sqlite/connection.ts";
import { runThread } from "#store/sqlite/threads/thread-loop.ts";

runThread(({ file }) => ({
  db: new Connection(file, { readOnly: true }),
  schemaVersion: 0,
  files: [],
  answer: (call) => (call === "die" ? process.exit(1) : "alive"),
}));
