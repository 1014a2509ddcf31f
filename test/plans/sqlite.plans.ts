/**
 * The plans of SQLite for every listing, search and read of operators, with 1,000,000 people: with and
 * without the statistics of ANALYZE.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { after, before, test } from "node:test";
import type { SqliteValue, SqlText } from "#store/cold/kit/statement.ts";
import { SqliteDb } from "#store/sqlite/cold-db.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { isComplete, listings, readPages } from "./listings.ts";
import { fillings } from "./million.ts";
import { boundedReads, isComplete as hasEveryRead } from "./reads.ts";

class RecordingConnection extends Connection {
  readonly asked: { readonly sql: string; readonly parameters: readonly SQLInputValue[] }[] = [];
  override arrays(sql: SqlText, isExact: boolean, parameters: readonly SQLInputValue[]): SqliteValue[][] {
    this.asked.push({ sql, parameters });
    return super.arrays(sql, isExact, parameters);
  }
}

const folder = mkdtempSync(join(tmpdir(), "mailroll-plans-"));
const file = join(folder, "million.db");
let rival: DatabaseSync;
before(async () => {
  await (await SqliteStore.open(file, { days: 90, rows: 100_000, bytes: 2 ** 28 })).close();
  rival = new DatabaseSync(file);
  rival.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -500000; BEGIN");
  const numbers = (count: number): string =>
    `(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s)`;
  for (const sql of fillings({ numbers, bytes: (text) => `CAST(${text} AS blob)` })) rival.exec(sql);
  rival.exec("COMMIT");
});
after(() => {
  rival.close();
  rmSync(folder, { recursive: true });
});

test("every listing and search is checked on SQLite", isComplete);
test("every read is checked on SQLite, or has a reason", hasEveryRead);

/**
 * A subquery with a limit has one of these names, except `b`: the batches that are being sent. They are read
 * as a whole, as is the index `mailing_left`, which has only the campaigns that have not ended.
 */
const SCANS_TABLE =
  /^SCAN (?!json_each|\(subquery|counted|visited|ranked|CONSTANT|[bsckv]$|m USING INDEX mailing_left$)/m;

for (const isAnalyzed of [false, true]) {
  if (isAnalyzed) test("ANALYZE gathers statistics of the tables", () => rival.exec("ANALYZE"));
  const when = isAnalyzed ? "with statistics" : "without statistics";
  for (const [name, cases] of Object.entries(listings))
    for (const listing of cases)
      test(`${name} (${listing.title}) scans and sorts nothing whole on SQLite ${when}`, async () => {
        const db = new RecordingConnection(file, { readOnly: true });
        const other = new Connection(file, { readOnly: true });
        try {
          await readPages(listing, new SqliteDb(db), new SqliteDb(other));
        } finally {
          db.close();
          other.close();
        }
        assert.ok(db.asked.length >= 2, `${db.asked.length} statements`);
        for (const { sql, parameters } of db.asked) {
          const plan = rival.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
          const steps = plan.map(({ detail }) => String(detail)).join("\n");
          // A statement without a limit completes the rows of a page; it may sort those.
          if (sql.includes("LIMIT")) assert.doesNotMatch(steps, /TEMP B-TREE FOR ORDER/, `${sql}\n${steps}`);
          if (listing.isOfAll !== true)
            assert.doesNotMatch(steps, /^SCAN (?!json_each|\(subquery|counted$)/m, `${sql}\n${steps}`);
        }
      });

  for (const [name, { bound, run, hasLimit }] of Object.entries(boundedReads))
    test(`${name} scans no table on SQLite ${when}: ${bound}`, async () => {
      const db = new RecordingConnection(file, { readOnly: true });
      try {
        await run(new SqliteDb(db));
      } finally {
        db.close();
      }
      assert.ok(db.asked.length > 0);
      for (const { sql, parameters } of db.asked) {
        const plan = rival.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
        const steps = plan.map(({ detail }) => String(detail)).join("\n");
        assert.doesNotMatch(steps, SCANS_TABLE, `${sql}\n${steps}`);
        if (hasLimit) assert.match(sql, /LIMIT/, sql);
      }
    });
}
