/**
 * What earlier versions left behind goes on with this one: from the backups in this folder, of each released
 * version and of schemas before the first. Each is put back as the database that it was, on both stores.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { after, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { readMigrations } from "#store/migrations.ts";
import { FOOTER_LENGTH } from "#store/sqlite/file/database-file.ts";
import { newestSchema } from "#store/sqlite/migrate.ts";
import { formerTables, tables } from "#store/tables/tables.ts";
import { assertSame, contentsOfFile, contentsOfServer } from "../cli/contents.ts";
import { Installation } from "../cli/program.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { query } from "../store/postgres-account.ts";

const server = await sharedPostgres();
const home = new Installation();
after(() => home.remove());

const here = import.meta.dirname;
const releases = readdirSync(here).filter((name) => name.endsWith(".db.gz"));
const MAX_BYTES = 2_000_000;
let files = 0;
const newFile = (): string => {
  files += 1;
  return join(home.folder, `${files}.db`);
};
const schemaOfFile = (file: string): number => {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(db.prepare("SELECT max(number) AS n FROM schema_migration").get()?.n);
  } finally {
    db.close();
  }
};
const schemaOfServer = async (url: string): Promise<number> =>
  Number((await query<{ n: number }>(url, "SELECT max(number) AS n FROM schema_migration"))[0]?.n);

const migrating = (database: string): readonly string[] => [
  "--disable-warning=ExperimentalWarning",
  join(here, "migrate-and-die.ts"),
  database,
];
/** Returns of how many statements the migrations were. */
const migrated = (database: string): number =>
  Number(execFileSync(process.execPath, migrating(database), { encoding: "utf8" }));

/** A backup is the database with a footer. */
function fileFrom(backup: Buffer): string {
  const file = newFile();
  writeFileSync(file, backup.subarray(0, backup.length - FOOTER_LENGTH), { mode: 0o600 });
  return file;
}

/** As JSON that PostgreSQL reads as a row: all values as texts. */
const asText = (value: SQLOutputValue): string | null =>
  value === null
    ? null
    : value instanceof Uint8Array
      ? `\\x${Buffer.from(value).toString("hex")}`
      : `${value}`;

/** The same rows on a server, in the schema that the file has. */
async function serverFrom(file: string): Promise<string> {
  const url = await server.emptyDatabase();
  const schema = schemaOfFile(file);
  const migrations = readMigrations(new URL("../../src/store/postgres/migrations/", import.meta.url));
  await query(
    url,
    `CREATE TABLE schema_migration (number integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL);
     ${migrations
       .filter(({ number }) => number <= schema)
       .map(
         ({ number, name, sql }) => `${sql}; INSERT INTO schema_migration VALUES (${number}, '${name}', 1)`,
       )
       .join(";\n")}`,
  );
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const columns = await query<{ table: string; name: string }>(
      url,
      `SELECT table_name AS "table", column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND is_generated = 'NEVER'`,
    );
    for (const { name } of [...tables, ...formerTables]) {
      const names = columns.filter(({ table }) => table === name).map((column) => `"${column.name}"`);
      if (names.length === 0) continue;
      const reading = db.prepare(`SELECT ${names.join(", ")} FROM ${name}`);
      reading.setReadBigInts(true);
      const rows = reading
        .all()
        .map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, asText(value)])));
      const literal = JSON.stringify(rows).replaceAll("'", "''");
      await query(
        url,
        `INSERT INTO ${name} (${names.join(", ")}) OVERRIDING SYSTEM VALUE
         SELECT ${names.join(", ")} FROM json_populate_recordset(NULL::${name}, '${literal}')`,
      );
    }
    const sequences = db.prepare("SELECT name, seq FROM sqlite_sequence");
    sequences.setReadBigInts(true);
    for (const { name, seq } of sequences.all())
      await query(url, `SELECT setval(pg_get_serial_sequence('${String(name)}', 'id'), ${String(seq)})`);
  } finally {
    db.close();
  }
  return url;
}

test("there is a backup of 0.1.0 in the schema of this version or an earlier one, with rows in every table", () => {
  assert.ok(releases.includes("0.1.0.db.gz"));
  const contents = contentsOfFile(fileFrom(gunzipSync(readFileSync(join(here, "0.1.0.db.gz")))));
  const schema = schemaOfFile(join(home.folder, `${files}.db`));
  if (schema === newestSchema())
    assert.deepEqual(
      tables.filter(({ name }) => contents[name]?.length === 0).map(({ name }) => name),
      [],
    );
});

for (const release of releases)
  describe(release, () => {
    const backup = gunzipSync(readFileSync(join(here, release)));
    const begin = async (store: "SQLite" | "PostgreSQL") => {
      const file = fileFrom(backup);
      return store === "SQLite" ? `sqlite:${file}` : serverFrom(file);
    };
    const run = async (database: string, ...words: readonly string[]) => {
      const { code, out, err } = await home.runHere([...words, "--database", database]);
      assert.equal(code, 0, `mailroll ${words.join(" ")}: ${err}${out}`);
      return out;
    };
    const contentsOf = async (database: string) =>
      database.startsWith("sqlite:") ? contentsOfFile(database.slice(7)) : contentsOfServer(database);

    test("is at most 2 MB", () => assert.ok(statSync(join(here, release)).size <= MAX_BYTES));

    test("is migrated by a start of the service to the same contents on both stores, sound and complete", async () => {
      const upgraded = [];
      for (const store of ["SQLite", "PostgreSQL"] as const) {
        const database = await begin(store);
        const before = await contentsOf(database);
        // Not by the whole service: its campaigns would go on.
        migrated(database);
        assert.match(await run(database, "doctor"), /^ok +counters/m);
        const found = await contentsOf(database);
        for (const [table, rows] of Object.entries(before))
          if (table in found) assert.equal(found[table]?.length, rows.length, `${store}: ${table}`);
        upgraded.push(found);
      }
      const [{ sqlite_sequence: _ = [], ...onFile } = {}, onServer = {}] = upgraded;
      assertSame(onServer, onFile);
    });

    for (const store of ["SQLite", "PostgreSQL"] as const)
      test(`is left as it was on ${store} by a kill before or after any statement of the migrations`, {
        timeout: 180_000,
      }, async () => {
        const database = await begin(store);
        const [before, schema] = [await contentsOf(database), schemaOfFile(fileFrom(backup))];
        const total = migrated(await begin(store));
        assert.equal(total === 0, schema === newestSchema());
        for (let at = 0; total > 0 && at <= total; at += 1) {
          const words = [...migrating(database), String(at)];
          const { signal, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
          assert.equal(signal, "SIGKILL", `statement ${at}: ${stderr}`);
          const found = database.startsWith("sqlite:")
            ? schemaOfFile(database.slice(7))
            : await schemaOfServer(database);
          assert.equal(found, schema, `statement ${at}`);
        }
        assertSame(await contentsOf(database), before);
        assert.equal(migrated(database), total);
        assert.match(await run(database, "doctor"), /^ok +counters/m);
      });

    test("is restored, and a campaign in the middle goes on when it is resumed, to each recipient once", async () => {
      const [file, database] = [newFile(), `sqlite:${newFile()}`];
      writeFileSync(file, backup);
      await run(database, "restore", file);
      interface Campaign {
        readonly id: number;
        readonly sending: { readonly state: string; readonly counts: { readonly sent: number } } | null;
      }
      const listed = await home.json<readonly Campaign[]>(
        ...["campaign", "list", "--account", "1", "--database", database],
      );
      const held = listed.find(({ sending }) => sending?.state === "held");
      if (release.startsWith("schema-")) return assert.equal(held, undefined);
      const of = [String(held?.id), "--account", "1"];
      await run(database, "campaign", "resume", ...of);
      const outbox = join(home.folder, `outbox-${release}`);
      const served = await home.serve(["--smtp", `file:${outbox}`], { MAILROLL_DATABASE: database });
      const shown = async () =>
        (await home.json<Campaign>(...["campaign", "show", ...of, "--database", database])).sending;
      let campaign = await shown();
      for (; campaign?.state === "sending"; campaign = await shown()) await delay(100);
      await served.stop();
      assert.equal(campaign?.state, "finished");
      const recipients = readdirSync(outbox).map(
        (name) => /^To: .*$/m.exec(readFileSync(join(outbox, name), "utf8"))?.[0],
      );
      assert.equal(new Set(recipients).size, recipients.length);
      assert.equal(recipients.length, campaign.counts.sent);
      return assert.ok(recipients.length > 1000);
    });
  });
