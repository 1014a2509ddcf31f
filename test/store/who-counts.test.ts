/** Who counts: the databases agree with the domain, before and after the migration that added the status. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { isCounted, type MembershipStatus, membershipStatuses } from "../../src/domain/membership.ts";
import type { Store } from "../../src/domain/ports.ts";
import { bySuppression, isActive, type Suppressions, suppressionKinds } from "../../src/domain/subscriber.ts";
import { PostgresStore } from "../../src/store/postgres/store.ts";
import { SqliteStore } from "../../src/store/sqlite/store.ts";
import { ACTIVE, COUNTED, statusCode, suppressionColumn, toStatus } from "../../src/store/who-counts.ts";
import { PostgresServer } from "../postgres-server.ts";
import { actor, NOW, newAccount } from "./actor.ts";
import { SQLITE_TO_SCHEMA_5, TO_SCHEMA_5 } from "./older-schema.ts";
import { query } from "./postgres-account.ts";
import { closeSound } from "./recount.ts";

const retention = { days: 90, rows: 5, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-who-counts-"));
let postgres: PostgresServer;
before(async () => {
  postgres = await PostgresServer.start();
});
after(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

/** Runs SQL on the database of a store, and returns the rows. */
type Run = (sql: string) => Promise<readonly object[]>;
interface Opened {
  readonly open: () => Promise<Store>;
  readonly run: Run;
  readonly toSchema5: string;
  /** The files in which the rows of a table are, or the pages that they begin at. */
  readonly place: (table: string) => string;
}
const stores: Readonly<Record<string, () => Promise<Opened>>> = {
  SQLite: async () => {
    const file = join(folder, "m.db");
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
    const place = (table: string) => `SELECT rootpage AS place FROM sqlite_master WHERE name = '${table}'`;
    return { open: () => SqliteStore.open(file, retention), run, toSchema5: SQLITE_TO_SCHEMA_5, place };
  },
  PostgreSQL: async () => {
    const url = await postgres.newDatabase();
    const run: Run = (sql) => query(url, sql);
    const place = (table: string) => `SELECT pg_relation_filenode('${table}') AS place`;
    return { open: () => PostgresStore.open(url, retention), run, toSchema5: TO_SCHEMA_5, place };
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

    test("the memberships of an older schema are active, and the migration rewrites no row", async () => {
      const { open, run, toSchema5, place } = await make();
      const older = await open();
      const a = actor(older, await newAccount(older));
      const list = await a.list();
      await a.add(list, "ada@example.org");
      await a.add(list, "out@example.org");
      await a.unsubscribe("out@example.org");
      await older.close();
      await run(toSchema5);
      const before = await run(place("membership"));
      const migrated = await open();
      assert.deepEqual(await run(place("membership")), before);
      const b = actor(migrated, a.account);
      const statuses = ["ada@example.org", "out@example.org"].map(async (email) => {
        const { status, counts } = (await b.show(email))?.lists[0] ?? {};
        return [status, counts];
      });
      assert.deepEqual(await Promise.all(statuses), [
        ["active", true],
        ["active", false],
      ]);
      await b.addPending(list, "eva@example.org");
      assert.equal(await b.members(list), 1);
      await closeSound(migrated);
    });
  });

test("a status that a newer version wrote does not count", () => {
  assert.deepEqual([0, 1, 7].map(toStatus), ["active", "pending", "pending"]);
});
