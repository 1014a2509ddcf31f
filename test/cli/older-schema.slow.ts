/**
 * A database that an older Mailroll left behind: commands leave it as it is, and a backup can be taken of it.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { sharedPostgres } from "../shared-postgres.ts";
import { query } from "../store/postgres-account.ts";
import { Installation } from "./program.ts";

const server = await sharedPostgres();
const homes: Installation[] = [];
after(async () => {
  for (const home of homes) await home.remove();
});

const first = (store: string): string =>
  readFileSync(new URL(`../../src/store/${store}/migrations/0001-first.sql`, import.meta.url), "utf8");
const data = `INSERT INTO account (name, created_at) VALUES ('Of old', 1);
  INSERT INTO list (account_id, name, created_at) VALUES (1, 'News', 1);
  INSERT INTO already_so (account_id, operation, outcome, count) VALUES (1, 'Subscriber.Add', 'AlreadyOnList', 7);`;
const recorded = `CREATE TABLE schema_migration (number integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL);
  INSERT INTO schema_migration VALUES (1, 'first', 1);`;

/** With the versions of its schema that are recorded in it. */
const stores = {
  SQLite: async (home: Installation) => {
    mkdirSync(dirname(home.database), { recursive: true });
    const db = new DatabaseSync(home.database);
    db.exec(recorded.replace("bigint NOT NULL)", "integer NOT NULL) STRICT").replace("text", "TEXT"));
    db.exec(first("sqlite") + data);
    db.close();
    const versions = async () => {
      const file = new DatabaseSync(home.database, { readOnly: true });
      const rows = file.prepare("SELECT number FROM schema_migration").all();
      file.close();
      return rows.map((row) => Number(row.number));
    };
    return { database: `sqlite:${home.database}`, versions };
  },
  PostgreSQL: async () => {
    const database = await server.emptyDatabase();
    await query(database, recorded + first("postgres") + data);
    const versions = async () =>
      (await query<{ number: number }>(database, "SELECT number FROM schema_migration")).map(
        (row) => row.number,
      );
    return { database, versions };
  },
} as const;

for (const [name, make] of Object.entries(stores))
  describe(`a database of an older schema on ${name}`, () => {
    const home = new Installation();
    homes.push(home);
    let database: string;
    let versions: () => Promise<readonly number[]>;
    before(async () => {
      ({ database, versions } = await make(home));
    });
    const run = (...words: string[]) => home.runHere([...words, "--database", database]);

    test("is rejected by commands that read or write, and stays unchanged", async () => {
      for (const words of [
        ["list", "list"],
        ["subscriber", "show", "a@x.org"],
        ["account", "create", "Another"],
        ["list", "create", "More"],
      ]) {
        const { code, err } = await run(...words);
        assert.equal(code, 1, err);
        assert.match(
          err,
          /^mailroll: .*by an older Mailroll \(schema 1, this version needs \d+\); start the service .*'bin\/mailroll serve'.*\n$/,
        );
      }
      assert.deepEqual(await versions(), [1]);
    });

    test("is reported by doctor", async () => {
      const { code, out } = await run("doctor");
      assert.equal(code, 1);
      assert.match(out, /^problem +database +.*by an older Mailroll \(schema 1, .*'bin\/mailroll serve'/m);
      assert.deepEqual(await versions(), [1]);
    });

    test("is backed up unchanged, and the backup is migrated when it is restored", async () => {
      const file = join(home.folder, "older.backup");
      const kept = await run("backup", file);
      assert.equal(kept.code, 0, kept.err);
      assert.deepEqual(await versions(), [1]);
      const restored = `sqlite:${join(home.folder, "restored.db")}`;
      const { code, err } = await home.runHere(["restore", file, "--database", restored]);
      assert.equal(code, 0, err);
      const lists = await home.runHere(["list", "list", "--account", "Of old", "--database", restored]);
      assert.match(lists.out, /News/, lists.err);
      const refused = await home.runHere(["refused", "list", "--account", "Of old", "--database", restored]);
      assert.match(refused.out, /Subscriber\.Add +AlreadyOnList +7/, refused.err);
    });
  });
