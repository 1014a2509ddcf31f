/** A writer thread with a further command, which takes until the test lets it finish. */
import { setImmediate } from "node:timers/promises";
import { coldOperations } from "#store/cold/features.ts";
import { command } from "#store/cold/kit/feature.ts";
import { integer, statement, text } from "#store/cold/kit/statement.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { identify, identifyJournal } from "#store/sqlite/file/database-file.ts";
import { migrate } from "#store/sqlite/migrate.ts";
import { runThread } from "#store/sqlite/threads/thread-loop.ts";
import { groupWriter, type WriteCall } from "#store/sqlite/writer.ts";

const members = statement({ members: integer }, "SELECT member_count AS members FROM list WHERE id = $1");
const rename = statement({ name: text }, "UPDATE list SET name = 'slow' WHERE id = $1 RETURNING name");

/** The two flags are shared with the test: the command has begun, and it may finish. */
const slow = command<{ readonly list: number; readonly flags: Int32Array }, readonly number[]>(
  async (db, { list, flags }) => {
    const seen = [(await db.one(members, list)).members];
    await db.one(rename, list);
    Atomics.store(flags, 0, 1);
    Atomics.notify(flags, 0);
    await Atomics.waitAsync(flags, 1, 0).value;
    // Whatever was sent before the flag was set has now arrived in this thread.
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    seen.push((await db.one(members, list)).members);
    return seen;
  },
);

runThread(({ file, retention, ledgerDays }) => {
  const db = new Connection(file, { readOnly: false });
  const schemaVersion = migrate(db, file, Date.now());
  const operations = new Map([...coldOperations, ["test.slow", slow] as const]);
  const commit = groupWriter(db, { retention, ledgerDays }, schemaVersion, operations);
  const files = [identify(file), identifyJournal(file)];
  return { db, schemaVersion, files, answer: (call) => commit(call as readonly WriteCall[]) };
});
