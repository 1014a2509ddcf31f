/** The same dataset fits Mailroll's tables and those of the peers. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { readMigrations } from "#store/migrations.ts";
import { withBounces, withMembers } from "../../bench/data/dataset.ts";
import { fillSqlite, membersIn } from "../../bench/data/sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-filling-"));
after(() => rmSync(folder, { recursive: true }));

const root = resolve(import.meta.dirname, "../..");
const migrations = new URL("../../src/store/sqlite/migrations/", import.meta.url);
const first =
  "INSERT INTO account (name, created_at) VALUES ('A', 0); INSERT INTO list (account_id, name, created_at) VALUES (1, 'L', 0);";
const schemas = {
  Mailroll: [...readMigrations(migrations).map(({ sql }) => sql), first].join("\n"),
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
    test("scatters bounces over the subscribers, with each hundredth name in lists of any length", () => {
      const file = newFile(schema);
      fillSqlite(file, withBounces(300, 500));
      const inOrder = (campaign: number) =>
        `SELECT sum(later > earlier), count(DISTINCT later) FROM (SELECT subscriber_id AS later, lag(subscriber_id) OVER (ORDER BY at, id) AS earlier FROM campaign_event WHERE campaign_id = ${campaign})`;
      for (const [campaign, count] of [
        [2, 300],
        [3, 500],
      ] as const) {
        const [ascending, different] = numbers(file, inOrder(campaign));
        assert.equal(different, count);
        assert.ok(Number(ascending) > count * 0.3 && Number(ascending) < count * 0.7, String(ascending));
        const escaped = `SELECT sum(s.last_name LIKE '%&%') FROM campaign_event AS e JOIN subscriber AS s ON s.id = e.subscriber_id WHERE e.campaign_id = ${campaign}`;
        assert.deepEqual(numbers(file, escaped), [count / 100]);
      }
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
