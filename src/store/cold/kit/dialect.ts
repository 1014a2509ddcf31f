/** What differs in the SQL of the two databases. All other SQL is valid on both. */
import { MAX_CONTINUED_ID } from "#domain/field/field.ts";

export type ColumnType = "integer" | "bigint" | "text" | "boolean" | "bytes";

export interface Dialect {
  readonly name: "SQLite" | "PostgreSQL";
  /** Parameters as the database numbers them; statements are written with `$1`, `$2`. */
  readonly numbered: (sql: string) => string;
  /** Whether a column has one of the values of a parameter that is an array. */
  readonly isIn: (column: string, parameter: string) => string;
  /** Whether a column has one of the numbers of a JSON array, given as an expression. */
  readonly isInJson: (column: string, json: string) => string;
  /** Makes a table with these columns from a parameter that is a JSON array of objects; give it an alias. */
  readonly table: (parameter: string, columns: Readonly<Record<string, ColumnType>>) => string;
  /** Locks the rows of a table, named by its alias, until the end of the transaction. */
  readonly lockRows: (alias: string) => string;
  /** Like `lockRows`, without the rows that another transaction has locked. */
  readonly lockFreeRows: (alias: string) => string;
  /** Whether the database uses an index for all columns of `(a, b) > ($1, $2)`. */
  readonly seeksByRows: boolean;
  /** Whether every key begins with the account, also the keys of subscribers, values and history. */
  readonly keysHaveAccount: boolean;
  /** A to Z in lower case, and no other letter. */
  readonly lowerAscii: (text: string) => string;
  /** Joins a table by looking up a row by its key for each row so far; the planner cannot scan instead. */
  readonly lookUp: (table: string, alias: string, condition: string) => string;
  /**
   * An expression for the next id of a field, which skips chosen ids. `row`: a condition on the row that gets
   * it, if there are several; otherwise they would get the same.
   */
  readonly nextFieldId: (row?: string) => string;
  /** Whether a query finds a row, looked up for each row; the planner cannot read its whole table instead. */
  readonly exists: (query: string) => string;
}

const isInJson = (column: string, json: string): string =>
  `${column} IN (SELECT value FROM json_each(${json}))`;

/** The transaction has the only write lock of the file, so no row needs a lock. */
export const sqliteDialect: Dialect = {
  name: "SQLite",
  // `$1` would be a named parameter.
  numbered: (sql) => sql.replaceAll(/\$(\d+)/g, "?$1"),
  isIn: isInJson,
  isInJson,
  table: (parameter, columns) =>
    `(SELECT ${Object.keys(columns)
      .map((name) => `value ->> '${name}' AS "${name}"`)
      .join(", ")} FROM json_each(${parameter}))`,
  lockRows: () => "",
  lockFreeRows: () => "",
  seeksByRows: false,
  keysHaveAccount: false,
  lowerAscii: (text) => `lower(${text})`,
  // The planner does not reorder a CROSS JOIN.
  lookUp: (table, alias, condition) => `CROSS JOIN ${table} AS ${alias} ON ${condition}`,
  exists: (query) => `EXISTS (${query})`,
  // SQLite's own next id would be above every id in the table.
  nextFieldId: () => `(
     WITH RECURSIVE next (id) AS (
       SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'field'), 0) + 1
       UNION ALL
       SELECT next.id + 1 FROM next WHERE EXISTS (SELECT 1 FROM field WHERE field.id = next.id)
     )
     SELECT max(id) FROM next
   )`,
};

const postgresTypes: Readonly<Record<ColumnType, string>> = {
  integer: "bigint",
  bigint: "bigint",
  text: "text",
  boolean: "boolean",
  bytes: "bytea",
};
export const postgresDialect: Dialect = {
  name: "PostgreSQL",
  numbered: (sql) => sql,
  isIn: (column, parameter) => `${column} = ANY(${parameter})`,
  isInJson: (column, json) =>
    `${column} = ANY(ARRAY(SELECT jsonb_array_elements_text(${json}::jsonb)::bigint))`,
  table: (parameter, columns) =>
    `(SELECT ${Object.entries(columns)
      .map(([name, type]) => `(e ->> '${name}')::${postgresTypes[type]} AS "${name}"`)
      .join(", ")} FROM jsonb_array_elements(${parameter}::jsonb) AS e)`,
  lockRows: (alias) => `FOR UPDATE OF ${alias}`,
  lockFreeRows: (alias) => `FOR UPDATE OF ${alias} SKIP LOCKED`,
  seeksByRows: true,
  keysHaveAccount: true,
  lowerAscii: (text) => `lower(${text} COLLATE "C")`,
  // The planner does not flatten a subquery that has an OFFSET. Without it, it may read the whole table.
  lookUp: (table, alias, condition) =>
    `CROSS JOIN LATERAL (SELECT * FROM ${table} AS ${alias} WHERE ${condition} OFFSET 0) AS ${alias}`,
  // Without it, it may make a table of all rows first, such as all members of a list for ten people.
  exists: (query) => `EXISTS (${query} OFFSET 0)`,
  // No index leads to an id in any account, so it is looked for only where one may have been chosen.
  nextFieldId: (row = "true") => `(
     WITH RECURSIVE next (id) AS (
       SELECT nextval('field_id_seq') WHERE ${row}
       UNION ALL
       SELECT nextval('field_id_seq') FROM next
       WHERE next.id > ${MAX_CONTINUED_ID} AND EXISTS (SELECT 1 FROM field WHERE field.id = next.id)
     )
     SELECT max(id) FROM next
   )`,
};
