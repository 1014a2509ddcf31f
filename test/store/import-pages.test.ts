/** The memory and the journal that the SQLite writer uses during an import, and after it. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { noSubscriberCounts as counts } from "#domain/import/batch.ts";
import { integer } from "#store/cold/kit/statement.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { migrate } from "#store/sqlite/migrate.ts";
import { statement } from "#store/sqlite/statement.ts";
import { groupWriter, type WriteCall } from "#store/sqlite/writer.ts";
import { addressOf, NOW } from "./actor.ts";

const CACHE_SIZE = statement({ cache_size: integer }, "PRAGMA cache_size");
const WAL_AUTOCHECKPOINT = statement({ wal_autocheckpoint: integer }, "PRAGMA wal_autocheckpoint");

test("an import enlarges the cache and the journal of the writer until it is finished", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-import-pages-"));
  const file = join(folder, "m.db");
  const db = new Connection(file, { readOnly: false });
  t.after(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });
  const commit = groupWriter(
    db,
    { retention: { days: 90, rows: 5, bytes: 1_000_000 }, ledgerDays: 400 },
    migrate(db, file, NOW),
  );
  const write = async (call: WriteCall): Promise<unknown> => {
    const [settled] = await commit([call]);
    assert.ok(settled?.ok === true, settled?.ok === false ? settled.error.message : "no result");
    return settled.value;
  };
  const limits = () => [db.get(CACHE_SIZE)?.cache_size, db.get(WAL_AUTOCHECKPOINT)?.wal_autocheckpoint];
  const before = limits();
  const { id: account } = (await write(["accounts.create", { name: "A", at: NOW }])) as { id: number };
  const { id: list } = (await write(["lists.create", { account, name: "L", at: NOW }])) as { id: number };
  const source = { fileName: "table.csv", startedBy: "tester", startedAt: NOW };
  const batch = (await write(["imports.start", { ...source, account, list, counts }])) as number;
  const person = { address: addressOf("a@x.org"), joinedAt: NOW, suppressions: {}, data: {}, values: [] };
  const importing = { account, list, batch, counts, overwrite: false };
  await write(["imports.add", { ...importing, at: NOW, people: [person] }]);
  assert.deepEqual(limits(), [-65_536, 8000]);
  await write(["imports.finish", { account, id: batch, counts, finishedAt: NOW }]);
  assert.deepEqual(limits(), before);
  assert.deepEqual(before, [-8192, 1000]);
});
