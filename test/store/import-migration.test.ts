/**
 * Values from before imports were recorded: their source is unknown, so they count as not imported. And the
 * counts of imports that were recorded under other names, and the ids of fields that a chosen one moved.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { Store } from "#domain/ports/store.ts";
import { readMigrations } from "#store/migrations.ts";
import { PostgresStore } from "#store/postgres/store.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { actor, addressOf, NOW, newAccount, newImport } from "./actor.ts";
import { SQLITE_TO_SCHEMA_3, TO_SCHEMA_3, TO_SCHEMA_8 } from "./older-schema.ts";
import { query } from "./postgres-account.ts";
import { closeSound } from "./recount.ts";

const retention = { days: 90, rows: 5, bytes: 2 ** 28 };
const folder = mkdtempSync(join(tmpdir(), "mailroll-import-migration-"));
const postgres = await sharedPostgres();
after(async () => {
  rmSync(folder, { recursive: true });
});

const stores: Readonly<
  Record<
    string,
    () => Promise<{ open: () => Promise<Store>; run: (sql: string) => Promise<void>; toSchema3: string }>
  >
> = {
  SQLite: async () => {
    const file = join(mkdtempSync(join(folder, "sqlite-")), "m.db");
    const run = async (sql: string) => {
      const db = new DatabaseSync(file);
      db.exec(sql);
      db.close();
    };
    return { open: () => SqliteStore.open(file, retention), run, toSchema3: SQLITE_TO_SCHEMA_3 };
  },
  PostgreSQL: async () => {
    const url = await postgres.newDatabase();
    const run = async (sql: string) => void (await query(url, sql));
    return { open: () => PostgresStore.open(url, retention), run, toSchema3: TO_SCHEMA_3 };
  },
};

for (const [name, make] of Object.entries(stores))
  test(`keeps the counts of imports that were recorded under other names on ${name}`, async (t) => {
    const { open, run } = await make();
    const older = await open();
    const account = await newAccount(older);
    const importing = await newImport(older, account, await actor(older, account).list());
    const person = {
      address: addressOf("ada@x.org"),
      joinedAt: 1,
      suppressions: {},
      data: { firstName: "Ada" },
      values: [],
    };
    await older.imports.add({ ...importing, at: NOW, people: [person] });
    const recorded = await older.imports.byId({ account, id: importing.batch });
    assert.partialDeepStrictEqual(recorded?.counts, { newSubscribers: 1, updated: { subscribers: 0 } });
    await older.close();
    await run(TO_SCHEMA_8);
    const migrated = await open();
    t.after(() => migrated.close());
    // What an undo needs was not recorded then.
    const expected = { ...recorded, isUndoable: false };
    assert.deepEqual(await migrated.imports.byId({ account, id: importing.batch }), expected);
  });

for (const [name, make] of Object.entries(stores))
  test(`sets the ids of fields back to where floating-point numbers are exact on ${name}`, async () => {
    const { open, run } = await make();
    const store = name === "SQLite" ? "sqlite" : "postgres";
    const folderOf = new URL(`../../src/store/${store}/migrations/`, import.meta.url);
    const migration = readMigrations(folderOf).find((one) => one.name === "last-network-and-field-ids");
    const setBack = migration?.sql.slice(migration.sql.lastIndexOf("\n--")) ?? "";
    const older = await open();
    const account = await newAccount(older);
    await actor(older, account).createField("First");
    await older.close();
    const idOf = async (field: string): Promise<bigint | undefined> => {
      const opened = await open();
      const made = await actor(opened, account).createField(field);
      await opened.close();
      return typeof made === "object" ? made.id : undefined;
    };
    await run(setBack);
    assert.equal(await idOf("Second"), 2n, "one that was not moved stays");
    await run(
      store === "sqlite"
        ? "UPDATE sqlite_sequence SET seq = 9007199254740991 WHERE name = 'field'"
        : "SELECT setval('field_id_seq', 9007199254740991)",
    );
    assert.equal(await idOf("Third"), 2n ** 53n);
    await run(setBack);
    assert.equal(await idOf("Fourth"), 2n ** 53n - 2n ** 32n + 1n);
  });

for (const [name, make] of Object.entries(stores))
  test(`an import leaves values alone that are older than the migration on ${name}`, async () => {
    const { open, run, toSchema3 } = await make();
    const older = await open();
    const account = await newAccount(older);
    const list = await actor(older, account).list();
    const field = await actor(older, account).createField("City");
    assert.ok(typeof field === "object");
    const take = async (store: Store, firstName: string, value: string) => {
      const values = [{ field: field.id, value }];
      const person = {
        address: addressOf("ada@x.org"),
        joinedAt: 1,
        suppressions: {},
        data: { firstName },
        values,
      };
      const importing = await newImport(store, account, list);
      return store.imports.add({ ...importing, at: NOW, people: [person] });
    };
    await take(older, "Ada", "London");
    await older.close();
    await run(toSchema3);
    const migrated = await open();
    const [row] = (await take(migrated, "Eva", "Paris")) ?? [];
    assert.deepEqual([row?.updatedValues, row?.keptNewerValues], [0, 2]);
    const ada = await actor(migrated, account).show("ada@x.org");
    assert.deepEqual([ada?.data.firstName, ada?.values[0]?.value], ["Ada", "London"]);
    assert.deepEqual(
      ada?.history.map(({ kind, origin, replaced }) => [kind, origin, replaced]),
      [["joined", { kind: "import", batch: null }, null]],
    );
    await closeSound(migrated);
  });
