/**
 * Drops indexes before a bulk load, to be recreated after it: sorting once costs a fraction of inserting each
 * row. The server lists the indexes, so that the schema is defined in one place. The caller owns the
 * transaction.
 */
import { text } from "../cold/kit/statement.ts";
import type { Connection } from "./sessions/connection.ts";
import { statement } from "./statement.ts";

const index = { drop: text, make: text };
/** Keeps keys that other tables refer to. */
const CONSTRAINTS = statement(
  index,
  `SELECT
     format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
     format(
       'ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)
     ) AS make
   FROM pg_constraint AS c
   WHERE conrelid = to_regclass($1) AND contype IN ('p', 'u')
     AND NOT EXISTS (SELECT 1 FROM pg_constraint AS r WHERE r.contype = 'f' AND r.conindid = c.conindid)`,
);
const INDEXES = statement(
  index,
  `SELECT format('DROP INDEX %s', indexrelid::regclass) AS drop, pg_get_indexdef(indexrelid) AS make
   FROM pg_index AS i
   WHERE indrelid = to_regclass($1)
     AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)`,
);

/** Returns the statements that recreate them. */
export async function dropIndexes(db: Connection, table: string): Promise<readonly string[]> {
  const found = await Promise.all([CONSTRAINTS, INDEXES].map((sql) => db.all(sql, table)));
  for (const { drop } of found.flat()) await db.exec(drop);
  return found.flat().map(({ make }) => make);
}
