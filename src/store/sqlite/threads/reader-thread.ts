/**
 * A reading thread. There is one for lookups by key and one for other reads, so that no lookup waits for a
 * page; and one for operators, so that no call waits for them.
 */
import { lowerPriority } from "#threads/low-priority.ts";
import { Connection } from "../connection.ts";
import { type ReadCall, reader, turnOf } from "../reader.ts";
import { type OpenDatabase, runThread } from "./thread-loop.ts";

/**
 * A reader waits only while another process repairs the journal. With the wait of a write, below five
 * seconds.
 */
const BUSY_TIMEOUT_MS = 500;

export const open: OpenDatabase = ({ file, files, retention, ledgerDays, isLowPriority = false }, pause) => {
  if (isLowPriority) lowerPriority();
  if (files === null) throw new Error("the writer thread must open the database first");
  const db = new Connection(file, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
  const answer = reader(db, { retention, ledgerDays }, pause);
  return {
    db,
    schemaVersion: 0,
    files,
    answer: (call) => answer(call as ReadCall),
    turnOf: (call) => turnOf(call as ReadCall),
  };
};
runThread(open);
