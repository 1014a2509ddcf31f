/**
 * A thread that reads; there is one for look-ups by key and one for the rest, so that no look-up waits for a
 * page.
 */
import { Connection } from "./connection.ts";
import { answer, type ReadCall, turnOf } from "./reader.ts";
import { runThread } from "./thread-loop.ts";

runThread(({ file, files }) => {
  if (files === null) throw new Error("whoever writes opens first");
  const db = new Connection(file, { readOnly: true });
  return {
    db,
    schemaVersion: 0,
    files,
    answer: (call) => answer(db, call as ReadCall),
    turnOf: (call) => turnOf(call as ReadCall),
  };
});
