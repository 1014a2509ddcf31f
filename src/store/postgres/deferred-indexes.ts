/**
 * Indexes that are made when the rows are there: sorting once costs a fraction of finding a place for each row. The
 * server says which there are, so that the schema is not told twice; the transaction is the caller's.
 */
import type { Connection } from "./connection.ts";

/** Keys that other tables refer to stay. */
const CONSTRAINTS = `
  SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
    format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make
  FROM pg_constraint AS c
  WHERE conrelid = to_regclass($1) AND contype IN ('p', 'u')
    AND NOT EXISTS (SELECT 1 FROM pg_constraint AS r WHERE r.contype = 'f' AND r.conindid = c.conindid)`;
const INDEXES = `
  SELECT format('DROP INDEX %s', indexrelid::regclass) AS drop, pg_get_indexdef(indexrelid) AS make
  FROM pg_index AS i
  WHERE indrelid = to_regclass($1) AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)`;

/** Gives back the statements that make them again. */
export async function dropIndexes(db: Connection, table: string): Promise<readonly string[]> {
  const found = await Promise.all(
    [CONSTRAINTS, INDEXES].map((sql) => db.all<{ drop: string; make: string }>(sql, table)),
  );
  for (const { drop } of found.flat()) await db.exec(drop);
  return found.flat().map(({ make }) => make);
}
