/** A database of either kind, filled with SQL, that tells by which plans statements were run. */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Client } from "pg";
import type { Db } from "#store/cold/kit/db.ts";
import type { SqliteValue, SqlText } from "#store/cold/kit/statement.ts";
import { PostgresDb } from "#store/postgres/cold-db.ts";
import { Connection as PostgresConnection, type Value } from "#store/postgres/sessions/connection.ts";
import { SqliteDb } from "#store/sqlite/cold-db.ts";
import { Connection as SqliteConnection } from "#store/sqlite/connection.ts";

export interface Planned {
  readonly sql: string;
  /** One step per line. */
  readonly plan: string;
}
export interface PlannedDatabase {
  readonly db: Db;
  /** A table with the numbers from 1, in a column `n`. */
  readonly series: (count: number) => string;
  readonly run: (sql: string) => Promise<void>;
  /** Of the statements since the last call. */
  readonly plans: () => Promise<readonly Planned[]>;
  readonly close: () => Promise<void>;
}

class RecordingSqlite extends SqliteConnection {
  asked: { readonly sql: string; readonly parameters: readonly SQLInputValue[] }[] = [];
  override arrays(sql: SqlText, isExact: boolean, parameters: readonly SQLInputValue[]): SqliteValue[][] {
    this.asked.push({ sql, parameters });
    return super.arrays(sql, isExact, parameters);
  }
}

export function plannedSqlite(file: string): PlannedDatabase {
  const rival = new DatabaseSync(file);
  const connection = new RecordingSqlite(file, { readOnly: true });
  return {
    db: new SqliteDb(connection),
    series: (count) =>
      `(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${count}) SELECT n FROM s)`,
    run: async (sql) => rival.exec(sql),
    plans: async () =>
      connection.asked.splice(0).map(({ sql, parameters }) => ({
        sql,
        plan: rival
          .prepare(`EXPLAIN QUERY PLAN ${sql}`)
          .all(...parameters)
          .map(({ detail }) => String(detail))
          .join("\n"),
      })),
    close: async () => {
      connection.close();
      rival.close();
    },
  };
}

class RecordingPostgres extends PostgresConnection {
  asked: { readonly sql: string; readonly values: readonly Value[] }[] = [];
  override texts(sql: SqlText, values: readonly Value[]): ReturnType<PostgresConnection["texts"]> {
    this.asked.push({ sql, values });
    return super.texts(sql, values);
  }
}

export async function plannedPostgres(url: string): Promise<PlannedDatabase> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const connection = new RecordingPostgres(client);
  return {
    db: new PostgresDb(connection),
    series: (count) => `(SELECT generate_series(1, ${count}) AS n) AS s`,
    run: async (sql) => {
      await client.query(sql);
    },
    plans: async () => {
      const planned: Planned[] = [];
      for (const { sql, values } of connection.asked.splice(0)) {
        const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${sql}`, [...values]);
        planned.push({ sql, plan: rows.map((row) => row["QUERY PLAN"]).join("\n") });
      }
      return planned;
    },
    close: () => client.end(),
  };
}
