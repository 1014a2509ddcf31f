/** A thread that reads; there is one for short answers and one for long lists, so that neither waits for the other. */
import { Connection } from "./connection.ts";
import { answer, type ReadCall } from "./reader.ts";
import { runThread } from "./thread-loop.ts";

runThread(({ file }) => {
  const db = new Connection(file, { readOnly: true });
  return { db, schemaVersion: 0, answer: (call) => answer(db, call as ReadCall) };
});
