/** Who counts: the databases agree with the domain, before and after the migration that added the status. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import {
  bySuppression,
  isActive,
  isCounted,
  type MembershipStatus,
  membershipStatuses,
  type Suppressions,
  suppressionKinds,
} from "#domain/subscriber/subscriber.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { ACTIVE, COUNTED, statusCode, suppressionColumn, toStatus } from "#store/reads/who-counts.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, NOW } from "./actor.ts";
import { schemaBefore } from "./older-schema.ts";
import { query } from "./postgres-account.ts";
import { closeSound } from "./recount.ts";

const retention = { days: 90, rows: 5, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-who-counts-"));
const MIGRATION = "membership-status";
let files = 0;
const postgres = await sharedPostgres();
after(() => rmSync(folder, { recursive: true }));

/** Runs SQL on the database of a store, and returns the rows. */
type Run = (sql: string) => Promise<readonly object[]>;
interface Opened {
  readonly open: () => Promise<Store>;
  readonly run: Run;
  readonly older: string;
  /** The file of the rows, which is another one after a rewrite; SQLite has one file. */
  readonly fileOfRows: () => Promise<unknown>;
}
const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: async () => {
    files += 1;
    const file = join(folder, `${files}.db`);
    const run: Run = async (sql) => {
      const db = new DatabaseSync(file);
      try {
        if (sql.startsWith("SELECT")) return db.prepare(sql).all();
        db.exec(sql);
        return [];
      } finally {
        db.close();
      }
    };
    const fileOfRows = async () => file;
    return {
      open: () => SqliteStore.open(file, retention),
      run,
      older: schemaBefore("sqlite", MIGRATION),
      fileOfRows,
    };
  },
  PostgreSQL: async () => {
    const url = await postgres.emptyDatabase();
    const run: Run = (sql) => query(url, sql);
    const fileOfRows = () => run("SELECT pg_relation_filenode('membership') AS file");
    return {
      open: () => PostgresStore.open(url, retention),
      run,
      older: schemaBefore("postgres", MIGRATION),
      fileOfRows,
    };
  },
};

const everyCase: readonly (readonly [Suppressions, MembershipStatus])[] = Array.from(
  { length: 2 ** suppressionKinds.length },
  (_, bits) => bySuppression((kind) => ((bits >> suppressionKinds.indexOf(kind)) & 1 ? NOW : null)),
).flatMap((held) => membershipStatuses.map((status) => [held, status] as const));

for (const [name, make] of Object.entries(stores))
  describe(`on ${name}`, () => {
    test("a membership counts for the database exactly if it counts for the domain", async () => {
      const { open, run } = await make();
      await (await open()).close();
      for (const [held, status] of everyCase) {
        const columns = suppressionKinds.map((kind) => `${held[kind]} AS ${suppressionColumn[kind]}`);
        const [found] = await run(
          `SELECT ${ACTIVE} AS active, ${COUNTED} AS counted FROM (SELECT ${columns.join(", ")}) AS s CROSS JOIN (SELECT ${statusCode[status]} AS status) AS m`,
        );
        const { active, counted } = found as { active: unknown; counted: unknown };
        assert.deepEqual(
          [Boolean(active), Boolean(counted)],
          [isActive(held), isCounted(held, status)],
          JSON.stringify([held, status]),
        );
      }
    });

    test("the memberships of an older schema are active, and the migration does not rewrite them", async () => {
      const { open, run, older, fileOfRows } = await make();
      await run(older);
      await run(
        `INSERT INTO account (name, active_subscribers, created_at) VALUES ('Acme', 1, 1);
         INSERT INTO list (account_id, name, member_count, created_at) VALUES (1, 'List', 1, 1);
         INSERT INTO subscriber (account_id, address, address_key, known_since, unsubscribed_at)
         VALUES (1, 'ada@example.org', 'ada@example.org', 1, NULL), (1, 'out@example.org', 'out@example.org', 1, 2);
         INSERT INTO membership (account_id, list_id, subscriber_id, joined_at) VALUES (1, 1, 1, 1), (1, 1, 2, 1)`,
      );
      const before = await fileOfRows();
      const migrated = await open();
      assert.deepEqual(await fileOfRows(), before);
      const b = actor(migrated, 1);
      const statuses = ["ada@example.org", "out@example.org"].map(async (email) => {
        const { status, counts } = (await b.show(email))?.lists[0] ?? {};
        return [status, counts];
      });
      assert.deepEqual(await Promise.all(statuses), [
        ["active", true],
        ["active", false],
      ]);
      await b.addPending(1, "eva@example.org");
      assert.equal(await b.members(1), 1);
      await closeSound(migrated);
    });
  });

test("a status that a newer version wrote does not count", () => {
  assert.deepEqual([0, 1, 7].map(toStatus), ["active", "pending", "pending"]);
});
