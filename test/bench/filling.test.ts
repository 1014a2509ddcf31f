/** The same dataset fits Mailroll's tables and those of the peers. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { withBounces, withMembers } from "../../bench/data/dataset.ts";
import { fillSqlite, membersIn } from "../../bench/data/sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-filling-"));
after(() => rmSync(folder, { recursive: true }));

const root = resolve(import.meta.dirname, "../..");
const first =
  "INSERT INTO account (name, created_at) VALUES ('A', 0); INSERT INTO list (account_id, name, created_at) VALUES (1, 'L', 0);";
const schemas = {
  Mailroll: readFileSync(join(root, "src/store/sqlite/migrations/0001-first.sql"), "utf8") + first,
  peers: readFileSync(join(root, "bench/peers/schema.sql"), "utf8"),
};
let files = 0;
function newFile(schema: string): string {
  files += 1;
  const file = join(folder, `${files}.db`);
  const db = new DatabaseSync(file);
  db.exec(schema);
  db.close();
  return file;
}
function numbers(file: string, sql: string): readonly unknown[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Object.values(db.prepare(sql).get() ?? {});
  } finally {
    db.close();
  }
}

for (const [whose, schema] of Object.entries(schemas))
  describe(`in the tables of ${whose}`, () => {
    test("creates members with a membership, a history and a count", async () => {
      const file = newFile(schema);
      fillSqlite(file, withMembers(1000));
      assert.equal(await membersIn(file), 1000);
      const counts =
        "SELECT (SELECT count(*) FROM subscriber), (SELECT count(*) FROM membership WHERE list_id = 1), (SELECT count(*) FROM history)";
      assert.deepEqual(numbers(file, counts), [1000, 1000, 1000]);
    });
    test("creates bounces of equal length except each hundredth name", () => {
      const file = newFile(schema);
      fillSqlite(file, withBounces(300, 500));
      const counts =
        "SELECT sum(campaign_id = 1), sum(campaign_id = 2), sum(campaign_id = 3) FROM campaign_event";
      assert.deepEqual(numbers(file, counts), [100, 300, 500]);
      const shape =
        "SELECT count(DISTINCT length(address)), count(DISTINCT address_key), sum(last_name LIKE '%&%') FROM subscriber WHERE bounced_at IS NOT NULL";
      assert.deepEqual(numbers(file, shape), [1, 500, 5]);
    });
    test("scatters addresses over the index", () => {
      const file = newFile(schema);
      fillSqlite(file, withMembers(1000));
      const inOrder =
        "SELECT sum(later > earlier) FROM (SELECT address_key AS later, lag(address_key) OVER (ORDER BY id) AS earlier FROM subscriber)";
      const [ascending] = numbers(file, inOrder);
      assert.ok(Number(ascending) > 300 && Number(ascending) < 700, String(ascending));
    });
  });
