/** The thread that writes: the only one, so that a group is loaded, decided and saved without waiting for anybody. */
import { Connection } from "./connection.ts";
import { openFile } from "./database-file.ts";
import { migrate } from "./migrate.ts";
import { runThread } from "./thread-loop.ts";
import { sendable } from "./thread-protocol.ts";
import { groupWriter, type WriteCall } from "./writer.ts";

runThread(({ file, retention }) => {
  const db = openFile(file, () => new Connection(file, { readOnly: false }));
  const schemaVersion = migrate(db, file, Date.now());
  const commit = groupWriter(db, retention);
  return {
    db,
    schemaVersion,
    answer: (call) =>
      commit(call as readonly WriteCall[]).map((settled) =>
        settled.ok ? settled : { ok: false, error: sendable(settled.error) },
      ),
  };
});
