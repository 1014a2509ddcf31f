/** Type-level tests: this file only has to compile; each @ts-expect-error is an assertion. */
import { bigint, boolean, integer } from "#store/cold/kit/statement.ts";
import type { Connection as PostgresConnection } from "#store/postgres/sessions/connection.ts";
import * as postgres from "#store/postgres/statement.ts";
import type { Connection as SqliteConnection } from "#store/sqlite/connection.ts";
import * as sqlite from "#store/sqlite/statement.ts";

const SQL = "SELECT id, name FROM list";

export function onSqlite(db: SqliteConnection): unknown {
  // @ts-expect-error a statement that is not declared
  db.get(SQL);
  // @ts-expect-error a statement that is not declared, with a claim about its rows
  db.all<{ id: number }>(SQL);
  // @ts-expect-error a change that is not declared
  db.run("DELETE FROM list");
  // @ts-expect-error a 64-bit id, which the driver returns as a number
  db.get(sqlite.statement({ id: bigint }, SQL));
  // @ts-expect-error a number, which the driver returns as a bigint
  db.allExact(sqlite.statement({ id: integer }, SQL));
  // @ts-expect-error a boolean, which SQLite does not have
  db.all(sqlite.statement({ is_private: boolean }, SQL));
  // @ts-expect-error a column that the description does not have
  return db.get(sqlite.statement({ id: integer }, SQL))?.title;
}

export async function onPostgres(db: PostgresConnection): Promise<boolean | undefined> {
  // @ts-expect-error a statement that is not declared
  await db.all(SQL);
  // @ts-expect-error a change that is not declared
  await db.run("DELETE FROM list");
  // @ts-expect-error a 64-bit id, which the driver returns as a number
  await db.get(postgres.statement({ id: bigint }, SQL));
  return (await db.get(postgres.statement({ is_private: boolean }, SQL)))?.is_private;
}
