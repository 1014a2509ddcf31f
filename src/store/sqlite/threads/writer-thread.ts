/**
 * The only thread that writes, so that a group is loaded, decided and saved without waiting for other
 * writers.
 */
import { sendable } from "../../threads/thread-protocol.ts";
import { Connection } from "../connection.ts";
import {
  type FileIdentities,
  type FileIdentity,
  identify,
  identifyJournal,
  openFile,
  requireSameFiles,
} from "../file/database-file.ts";
import { checkSchema, isEmpty, migrate } from "../migrate.ts";
import { type ReadCall, reader } from "../reader.ts";
import { groupWriter, stepWriter, type WriterCall } from "../writer.ts";
import { type OpenDatabase, runThread } from "./thread-loop.ts";

export const open: OpenDatabase = ({ file, retention, ledgerDays, mayMigrate, files: known }, pause) => {
  const opened: FileIdentity[] = [];
  const connect = (): Connection => {
    // Identified before opening: a file that is replaced in between is then refused.
    opened[0] = identify(file);
    return new Connection(file, { readOnly: false });
  };
  // A restarted thread creates no new database if the first one is gone. It does not read the file outside
  // SQLite either: when one thread closes a file, the system drops the locks of all threads on it.
  if (known !== null) requireSameFiles(known);
  const db = known === null ? openFile(file, connect) : connect();
  if (!mayMigrate && !isEmpty(db)) checkSchema(db, file);
  const schemaVersion = migrate(db, file, Date.now());
  const files: FileIdentities = known ?? [...opened, identifyJournal(file)];
  const commit = groupWriter(db, { retention, ledgerDays }, schemaVersion);
  const commitStep = stepWriter(db, commit);
  const read = reader(db, { retention, ledgerDays }, pause);
  return {
    db,
    schemaVersion,
    files,
    answer: async (call) => {
      const write = call as WriterCall | ReadCall;
      if (!("until" in write)) return await read(write);
      const { until } = write;
      const results = await ("step" in write ? commitStep(write.step, until) : commit(write.group, until));
      // Checked again after the commit: a write to a file that was replaced is not acknowledged.
      requireSameFiles(files);
      return results.map((settled) => (settled.ok ? settled : { ok: false, error: sendable(settled.error) }));
    },
  };
};
runThread(open);
