/**
 * Every declared statement is valid on its databases and returns the columns of its description, and no other
 * statement is sent.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { type Dialect, postgresDialect, sqliteDialect } from "#store/cold/kit/dialect.ts";
import {
  bigint,
  boolean,
  Change,
  type Columns,
  declared,
  integer,
  nullable,
  Statement,
  text,
} from "#store/cold/kit/statement.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { tunedStatements } from "#store/tuned-statement.ts";
import { isComplete } from "../plans/reads.ts";
import { sharedPostgres } from "../shared-postgres.ts";
import { describeStatement } from "./describe-statement.ts";

const folder = new URL("../../src/store/", import.meta.url);
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".ts"),
);
// A thread's entry runs only in a thread, and declares nothing.
for (const name of files) if (!name.endsWith("-thread.ts")) await import(new URL(name, folder).href);
const statements: readonly Change[] = [...declared];

/** A column as a database describes it; null where it does not know. */
interface Described {
  readonly name: string;
  readonly types: readonly string[] | null;
  readonly isNullable: boolean | null;
}
type Describe = (sql: string) => Promise<readonly Described[]>;

async function problemsOf(
  statement: Change,
  dialect: Dialect,
  describeSql: Describe,
): Promise<readonly string[]> {
  const sql = statement.textFor(dialect);
  const columns: Columns = statement instanceof Statement ? statement.columns : {};
  let found: readonly Described[];
  try {
    found = await describeSql(sql);
  } catch (error) {
    return [`${(error as Error).message}: ${sql}`];
  }
  const [names, claimed] = [found.map(({ name }) => name), Object.keys(columns)];
  if (names.join() !== claimed.join())
    return [`columns ${names.join()}, described as ${claimed.join()}: ${sql}`];
  return found.flatMap(({ name, types, isNullable }) => {
    const column = columns[name] ?? integer;
    const problems: string[] = [];
    if (types?.includes(column.type) === false)
      problems.push(`${name} is ${types.join(" or ")}, described as ${column.type}: ${sql}`);
    // An outer join can make any column NULL.
    const mayBeNull = isNullable === false && sql.includes("LEFT JOIN") ? null : isNullable;
    if (mayBeNull !== null && mayBeNull !== column.isNullable)
      problems.push(`${name} is ${mayBeNull ? "" : "not "}nullable, described otherwise: ${sql}`);
    return problems;
  });
}

const retention = { days: 90, rows: 100_000, bytes: 2 ** 28 };

/** Tables with very many rows. */
const LARGE = /\bFROM (?:subscriber|membership|recipient\w*|campaign_event|history|custom_value|block)\b/;
/** The queries of a statement within EXISTS. */
const existing = (sql: string): readonly string[] =>
  sql
    .split("EXISTS (")
    .slice(1)
    .map((rest) => {
      let depth = 1;
      const end = [...rest].findIndex((character) => {
        depth += character === "(" ? 1 : character === ")" ? -1 : 0;
        return depth === 0;
      });
      return rest.slice(0, end).trim();
    });

/** One suite for both databases; `open` is called once the database has its tables. */
function suite(dialect: Dialect, describeSql: Describe): void {
  const check = (columns: Columns, sql: string): Promise<readonly string[]> =>
    problemsOf(new Statement(columns, sql), dialect, describeSql);
  const LIST = "FROM list WHERE account_id = $1";

  test("every declared statement returns the columns of its description", async () => {
    assert.ok(statements.length > 30, `${statements.length} statements`);
    const problems: string[] = [];
    for (const statement of statements) problems.push(...(await problemsOf(statement, dialect, describeSql)));
    assert.deepEqual(problems, []);
  });
  test("every statement for this database alone returns the columns of its description", async () => {
    const own = tunedStatements.filter((one) => one.dialect === dialect);
    assert.ok(own.length > 40, `${own.length} statements`);
    const problems: string[] = [];
    for (const { columns, texts } of own)
      for (const sql of texts()) problems.push(...(await check(columns, sql)));
    assert.deepEqual(problems, []);
  });
  test("a correct description has no problems", async () => {
    assert.deepEqual(await check({ id: bigint, name: text }, `SELECT id, name ${LIST}`), []);
    assert.deepEqual(await check({ isPrivate: boolean }, 'SELECT is_private AS "isPrivate" FROM field'), []);
  });
  test("a statement that the database rejects is a problem", async () => {
    assert.match(String(await check({ id: integer }, `SELECT nonsense AS id ${LIST}`)), /nonsense/);
    assert.match(
      String(await problemsOf(new Change("DELETE FROM lists WHERE id = $1"), dialect, describeSql)),
      /lists/,
    );
  });
  test("a column of another name is a problem", async () => {
    assert.match(
      String(await check({ title: text }, `SELECT name ${LIST}`)),
      /^columns name, described as title/,
    );
  });
  test("a missing column is a problem", async () => {
    assert.match(String(await check({ id: integer, name: text }, `SELECT id ${LIST}`)), /^columns id, /);
  });
  test("an extra column is a problem", async () => {
    assert.match(String(await check({ id: integer }, `SELECT id, name ${LIST}`)), /^columns id,name, /);
    const returning = new Change("DELETE FROM list WHERE id = $1 RETURNING id");
    assert.match(String(await problemsOf(returning, dialect, describeSql)), /^columns id, described as :/);
  });
  test("columns in another order are a problem", async () => {
    assert.match(
      String(await check({ name: text, id: integer }, `SELECT id, name ${LIST}`)),
      /^columns id,name, /,
    );
  });
  test("a column of another type is a problem", async () => {
    assert.match(
      String(await check({ name: integer }, `SELECT name ${LIST}`)),
      /^name is text, described as integer/,
    );
    assert.match(String(await check({ id: text }, `SELECT id ${LIST}`)), /^id is .*, described as text/);
  });
  test("a column that is wrongly described as nullable or not is a problem", async () => {
    assert.match(
      String(await check({ country: text }, "SELECT country FROM account")),
      /^country is nullable/,
    );
    assert.match(
      String(await check({ name: nullable(text) }, `SELECT name ${LIST}`)),
      /^name is not nullable/,
    );
  });
}

/** What gives text to a database or says what its rows are, and the files that may. */
const bypasses: readonly (readonly [what: RegExp, where: readonly string[]])[] = [
  [/\.(?:prepare|query)\b/, ["sqlite/connection.ts", "postgres/sessions/connection.ts"]],
  [/\bas (?:[^;\n]*=> )?SqlText\b/, ["cold/kit/statement.ts", "tuned-statement.ts"]],
  [/\bnew (?:Statement|Change)\b/, ["cold/kit/statement.ts"]],
  // Whole tables as text, for copies.
  [/\.rows\(/, ["sqlite/archive.ts", "postgres/archive.ts"]],
];

test("a store sends no statement that is not declared", () => {
  for (const [what, where] of bypasses) {
    const found = files.filter((name) => what.test(readFileSync(new URL(name, folder), "utf8")));
    assert.deepEqual(found.sort(), [...where].sort(), String(what));
  }
});

describe("statements on SQLite", () => {
  const temporary = mkdtempSync(join(tmpdir(), "mailroll-statements-"));
  const file = join(temporary, "statements.db");
  let db: DatabaseSync;
  before(async () => {
    await (await SqliteStore.open(file, retention)).close();
    db = new DatabaseSync(file, { readOnly: true });
  });
  after(() => {
    db.close();
    rmSync(temporary, { recursive: true });
  });

  /** Its tables are strict, so the declared types hold. Booleans are integers. */
  const types = new Map([
    ["INTEGER", ["integer", "bigint", "boolean"]],
    ["TEXT", ["text"]],
    ["BLOB", ["bytes"]],
  ]);
  suite(sqliteDialect, async (sql) =>
    db
      .prepare(sql)
      .columns()
      .map(({ name, type, table, column }): Described => {
        const [row] = db
          .prepare('SELECT "notnull" OR pk > 0 AS required FROM pragma_table_xinfo(?) WHERE name = ?')
          .all(table, column);
        return {
          name,
          types: type === null ? null : (types.get(type) ?? [type]),
          // SQLite's own tables do not say.
          isNullable:
            row === undefined || /^(?:sqlite|pragma)_/.test(table ?? "") ? null : row.required === 0,
        };
      }),
  );

  test("subscribers are read by their ids, not by reading all of the account", () => {
    const byIds = statements
      .map((statement) => statement.textFor(sqliteDialect))
      .filter((sql) => /\bsubscriber\b/.test(sql) && sql.includes("json_each"))
      // A search in the order of ids is for PostgreSQL alone.
      .filter((sql) => !sql.includes("s.id >= ?2"));
    assert.ok(byIds.length > 5, `${byIds.length} statements`);
    for (const sql of byIds) {
      const plan = db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail));
      assert.doesNotMatch(plan.join("\n"), /sqlite_autoindex_subscriber_1 \(account_id=\?\)/, sql);
    }
  });
});

const server = await sharedPostgres();

describe("statements on PostgreSQL", () => {
  let client: Client;
  before(async () => {
    client = new Client({ connectionString: await server.newDatabase() });
    await client.connect();
  });
  after(() => client.end());

  const types = new Map([
    [16, ["boolean"]],
    [17, ["bytes"]],
    [21, ["integer"]],
    [20, ["integer", "bigint"]],
    [21, ["integer"]],
    [23, ["integer"]],
    [25, ["text"]],
  ]);
  suite(postgresDialect, async (sql) => {
    const columns = await describeStatement(client, sql);
    const described: Described[] = [];
    for (const { name, dataTypeID, tableID, columnID } of columns) {
      const { rows } = await client.query<{ attnotnull: boolean }>(
        "SELECT attnotnull FROM pg_attribute WHERE attrelid = $1 AND attnum = $2 AND attnum > 0",
        [tableID, columnID],
      );
      described.push({
        name,
        types: types.get(dataTypeID) ?? [`type ${dataTypeID}`],
        isNullable: rows[0] === undefined ? null : !rows[0].attnotnull,
      });
    }
    return described;
  });
});

test("PostgreSQL cannot read all rows of a large table to find out whether there is one", () => {
  const queries = statements.flatMap((one) => existing(one.textFor(postgresDialect)));
  const large = queries.filter((query) => LARGE.test(query));
  assert.ok(large.length > 5, `${large.length} of ${queries.length} queries`);
  assert.deepEqual(
    large.filter((query) => !query.endsWith("OFFSET 0")),
    [],
  );
});

test("every read has a bound that its plans are held to, or a reason why not", isComplete);
