/** The thread that writes: the only one, so that a group is loaded, decided and saved without waiting for anybody. */
import { Connection } from "./connection.ts";
import { openFile } from "./database-file.ts";
import {
  type FileIdentities,
  type FileIdentity,
  identify,
  identifyJournal,
  requireSameFiles,
} from "./file-place.ts";
import { checkSchema, isEmpty, migrate } from "./migrate.ts";
import { runThread } from "./thread-loop.ts";
import { sendable } from "./thread-protocol.ts";
import { groupWriter, type WriteCall } from "./writer.ts";

runThread(({ file, retention, mayMigrate, files: known }) => {
  const opened: FileIdentity[] = [];
  const open = (): Connection => {
    // Looked at before it is opened: one that is exchanged in between is refused, not taken for the other.
    opened[0] = identify(file);
    return new Connection(file, { readOnly: false });
  };
  // A thread that is started anew makes no new database where the first one is gone. It does not look into the file again either: the system forgets
  // the locks of all threads on a file when one of them closes it.
  if (known !== null) requireSameFiles(known);
  const db = known === null ? openFile(file, open) : open();
  if (!mayMigrate && !isEmpty(db)) checkSchema(db, file);
  const schemaVersion = migrate(db, file, Date.now());
  const files: FileIdentities = known ?? [...opened, identifyJournal(file)];
  const commit = groupWriter(db, retention, schemaVersion);
  return {
    db,
    schemaVersion,
    files,
    answer: (call) => {
      const results = commit(call as readonly WriteCall[]);
      // Once more, after the commit: nobody is told of a write that went with the file.
      requireSameFiles(files);
      return results.map((settled) => (settled.ok ? settled : { ok: false, error: sendable(settled.error) }));
    },
  };
});
