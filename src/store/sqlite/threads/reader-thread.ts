/**
 * A reading thread. There is one for lookups by key and one for other reads, so that no lookup waits for a
 * page.
 */
import { Connection } from "../connection.ts";
import { answer, type ReadCall, turnOf } from "../reader.ts";
import { runThread } from "./thread-loop.ts";

runThread(({ file, files }) => {
  if (files === null) throw new Error("the writer thread must open the database first");
  const db = new Connection(file, { readOnly: true });
  return {
    db,
    schemaVersion: 0,
    files,
    answer: (call) => answer(db, call as ReadCall),
    turnOf: (call) => turnOf(call as ReadCall),
  };
});
