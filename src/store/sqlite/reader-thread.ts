/** A thread that reads; there is one for short answers and one for long lists, so that neither waits for the other. */
import { Connection } from "./connection.ts";
import { answer, type ReadCall } from "./reader.ts";
import { runThread } from "./thread-loop.ts";

runThread(({ file, place }) => {
  if (place === null) throw new Error("whoever writes opens first");
  const db = new Connection(file, { readOnly: true });
  return { db, schemaVersion: 0, place, answer: (call) => answer(db, call as ReadCall) };
});
