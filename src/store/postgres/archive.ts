/**
 * A whole PostgreSQL database: read in one snapshot, or created and filled in one transaction. Rows are read
 * with a cursor that the server sorts, and written a page at a time.
 */

import { StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import {
  type Archive,
  columnsOf,
  nameRow,
  notEmpty,
  ROWS_PER_PAGE,
  type Row,
  type Source,
  type Target,
  unfit,
} from "../archive/archive.ts";
import { integer, nullable, text } from "../cold/kit/statement.ts";
import type { ColumnKind, Table } from "../tables/entity.ts";
import { formerTables, tables } from "../tables/tables.ts";
import { checkSchema, hasTable, migrate } from "./migrate.ts";
import type { Connection } from "./sessions/connection.ts";
import { isLost, LOCK_NOT_AVAILABLE, sqlState } from "./sessions/failures.ts";
import { INSTALLATION_LOCK } from "./sessions/locks.ts";
import { openSession, type Session } from "./sessions/session.ts";
import { family, statement } from "./statement.ts";

/**
 * Drops indexes before a bulk load, to be recreated after it: sorting once costs a fraction of inserting each
 * row. The server lists the indexes, so that the schema is defined in one place. The caller owns the
 * transaction.
 */
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

const LOCK_WAIT = "2s";
/** Reading costs mostly sorting, and every cursor is read to its end. */
const READING = "SET LOCAL work_mem = '64MB'; SET LOCAL cursor_tuple_fraction = 1";

const read: Readonly<Record<ColumnKind, (column: string) => string>> = {
  integer: (column) => column,
  boolean: (column) => `${column}::integer`,
  text: (column) => column,
  bytes: (column) => `encode(${column}, 'hex')`,
};
const arrays: Readonly<Record<ColumnKind, string>> = {
  integer: "bigint[]",
  boolean: "boolean[]",
  text: "text[]",
  bytes: "text[]",
};

const COUNT = family({ n: integer }, tables, ({ name }) => `SELECT count(*) AS n FROM ${name}`);
const SEQUENCE = statement(
  { sequence: nullable(text) },
  "SELECT pg_get_serial_sequence($1, 'id') AS sequence",
);
const SET_LAST_ID = statement({ setval: integer }, "SELECT setval($1::text::regclass, $2::bigint)");
const INSERT = family({}, tables, ({ name, columns }) => {
  const kinds = Object.values(columns);
  const cells = kinds.map((_, index) => `c${index}`);
  const values = kinds.map((kind, index) => (kind === "bytes" ? `decode(c${index}, 'hex')` : `c${index}`));
  const given = kinds.map((kind, index) => `$${index + 1}::${arrays[kind]}`);
  return `INSERT INTO ${name} (${Object.keys(columns).join(", ")})
    SELECT ${values.join(", ")}
    FROM unnest(${given.join(", ")}) AS row (${cells.join(", ")})`;
});
const ANY_ROW = family({ one: integer }, tables, ({ name }) => `SELECT 1 AS one FROM ${name} LIMIT 1`);

class PostgresArchive implements Archive {
  protected readonly session: Session;

  constructor(session: Session) {
    this.session = session;
  }

  get name(): string {
    return this.session.name;
  }

  async count(table: Table): Promise<number> {
    return (await this.session.ask((db) => db.get(COUNT(table))))?.n ?? 0;
  }

  async *pages(table: Table): AsyncGenerator<readonly Row[]> {
    const columns = Object.entries(table.columns).map(([column, kind]) => read[kind](column));
    const rows = `SELECT ${columns.join(", ")} FROM ${table.name} ORDER BY ${table.key.join(", ")}`;
    const cursor = `copy_${table.name}`;
    const fetch = (): Promise<readonly Row[]> => {
      const page = this.session.ask((db) => db.rows(`FETCH ${ROWS_PER_PAGE} FROM ${cursor}`));
      // The reader may stop before this page. Its failure must not count as an unhandled rejection.
      page.catch(() => {});
      return page;
    };
    await this.session.ask((db) => db.exec(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${rows}`));
    for (let page = await fetch(); page.length > 0; ) {
      // Fetches the next page while the consumer handles this one.
      const next = fetch();
      yield page;
      page = await next;
    }
    await this.session.ask((db) => db.exec(`CLOSE ${cursor}`));
  }

  async lastId(table: Table): Promise<string> {
    const sequence = await this.sequenceOf(table);
    const sql = `SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM ${sequence}`;
    return (await this.session.ask((db) => db.rows(sql)))[0]?.[0] ?? "0";
  }

  protected async sequenceOf({ name }: Table): Promise<string> {
    const found = await this.session.ask((db) => db.get(SEQUENCE, name));
    if (typeof found?.sequence !== "string") throw new Error(`${name} has no sequence`);
    return found.sequence;
  }

  close(): Promise<void> {
    return this.session.close();
  }
}

const OTHERS = statement(
  { one: integer },
  `SELECT 1 AS one
   FROM pg_stat_activity
   WHERE datname = current_database() AND application_name = 'mailroll' AND pid <> pg_backend_pid()
   LIMIT 1`,
);
const PRESENT = statement(
  { name: text },
  `SELECT t || ' ' || a.attname AS name
   FROM unnest($1::text[]) AS t JOIN pg_attribute AS a ON a.attrelid = to_regclass(t)
   WHERE a.attnum > 0 AND NOT a.attisdropped`,
);

/** The tables and columns that an older schema already has. */
async function presentIn(db: Connection): Promise<readonly Table[]> {
  const candidates = [...tables, ...formerTables];
  const rows = await db.all(
    PRESENT,
    candidates.map(({ name }) => name),
  );
  const present = new Set(rows.map(({ name }) => name));
  return candidates
    .map((table) => ({
      ...table,
      columns: Object.fromEntries(
        Object.entries(table.columns).filter(([column]) => present.has(`${table.name} ${column}`)),
      ),
    }))
    .filter(({ columns }) => Object.keys(columns).length > 0);
}

export const openSource = (url: string, mayBeOlder: boolean): Promise<Source> =>
  openSession(url, (session) =>
    session.ask(async (db) => {
      await db.exec(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${READING}`);
      const schemaVersion = await checkSchema(db, session.name, mayBeOlder);
      const isInUse = (await db.get(OTHERS)) !== undefined;
      const present = await presentIn(db);
      return Object.assign(new PostgresArchive(session), { isInUse, schemaVersion, tables: present });
    }),
  );

type Statements = ReadonlyMap<Table, readonly string[]>;

class PostgresTarget extends PostgresArchive implements Target {
  readonly #deferred: Statements;

  constructor(session: Session, deferred: Statements) {
    super(session);
    this.#deferred = deferred;
  }

  add(table: Table, rows: readonly Row[]): Promise<void> {
    const columns = columnsOf(table).map((_, index) => rows.map((row) => row[index] ?? null));
    return this.session.ask(async (db) => {
      try {
        await db.run(INSERT(table), ...columns);
      } catch (error) {
        throw whyUnfit(table, rows, error);
      }
    });
  }

  async continueAfter(table: Table, lastId: string): Promise<void> {
    const sequence = await this.sequenceOf(table);
    await this.session.ask(async (db) => {
      // RESTART first: the transaction can roll that back, unlike setval.
      await db.exec(`ALTER SEQUENCE ${sequence} RESTART`);
      if (lastId !== "0") await db.run(SET_LAST_ID, sequence, lastId);
    });
  }

  finish(): Promise<void> {
    return this.session.ask(async (db) => {
      for (const [table, statements] of this.#deferred)
        try {
          for (const sql of statements) await db.exec(sql);
        } catch (error) {
          throw whyUnfit(table, [], error);
        }
      await db.exec(`ANALYZE ${tables.map(({ name }) => name).join(", ")}`);
    });
  }

  commit(): Promise<void> {
    return this.session.ask(async (db) => {
      try {
        await db.exec("COMMIT");
      } catch (error) {
        if (!isLost(error)) throw error;
        throw new StoreUnavailable(
          "the connection to the database was lost during the commit; if the database is not empty now, the copy is complete",
        );
      }
    });
  }
}

const NO_SUCH_CHARACTER = "22021";
/** Values that a column type rejects, and rows that a constraint rejects. */
const UNFIT = /^2[23]/;

function whyUnfit(table: Table, rows: readonly Row[], error: unknown): unknown {
  const state = sqlState(error) ?? "";
  const odd = rows.find((row) => row.some((cell) => cell?.includes("\0") === true));
  if (state === NO_SUCH_CHARACTER && odd !== undefined)
    return unfit(
      table,
      `${nameRow(table, odd)} contains the character U+0000, which PostgreSQL cannot store`,
    );
  const { message, detail } = error as { readonly message: string; readonly detail?: string };
  return UNFIT.test(state) ? unfit(table, detail ?? message) : error;
}

/** The installation lock keeps others from creating tables or accounts meanwhile. */
export const openTarget = (url: string): Promise<Target> =>
  openSession(url, (session) =>
    session.ask(async (db) => {
      try {
        await db.exec(`BEGIN; ${READING}; SET LOCAL lock_timeout = '${LOCK_WAIT}'; ${INSTALLATION_LOCK}`);
        await refuseFilled(db, session.name);
        await migrate(db, Date.now());
        const deferred = new Map<Table, readonly string[]>();
        for (const table of tables) deferred.set(table, await dropIndexes(db, table.name));
        return new PostgresTarget(session, deferred);
      } catch (error) {
        throw sqlState(error) === LOCK_NOT_AVAILABLE
          ? new StoreRefused(`${session.name} is in use by another program; stop that program first`, {
              cause: error,
            })
          : error;
      }
    }),
  );

async function refuseFilled(db: Connection, name: string): Promise<void> {
  for (const table of tables) {
    if ((await hasTable(db, table.name)) && (await db.get(ANY_ROW(table))) !== undefined)
      throw notEmpty(name, table);
  }
}
