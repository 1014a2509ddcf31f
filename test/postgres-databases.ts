/** Databases on a PostgreSQL server that is running already: their addresses, and new ones. */
import pg from "pg";
import { PostgresStore } from "#store/postgres/store.ts";

export const USER = "mailroll";
export const PASSWORD = "s3cret-pass/word";

/** Contains Mailroll's tables and no rows. Copying it is quicker than migrating each database. */
const MIGRATED = "migrated";

export class PostgresDatabases {
  readonly port: number;
  #databases = 0;
  #migrated: Promise<void> | null;

  constructor(port: number, isMigrated = false) {
    this.port = port;
    this.#migrated = isMigrated ? Promise.resolve() : null;
  }

  urlOf(database: string, password = PASSWORD): string {
    return `postgres://${USER}:${encodeURIComponent(password)}@127.0.0.1:${this.port}/${database}`;
  }

  /** The address of a new database with Mailroll's tables, or of a copy of one that nobody uses. */
  async newDatabase(copyOf = MIGRATED): Promise<string> {
    if (copyOf === MIGRATED) await this.migrated();
    return this.#create(copyOf);
  }

  /** The address of a new database without tables. */
  emptyDatabase(): Promise<string> {
    return this.#create("template0");
  }

  /** Resolves when the database that new ones are copied from is there. */
  migrated(): Promise<void> {
    this.#migrated ??= (async () => {
      const url = await this.#create("template0", MIGRATED);
      const store = await PostgresStore.open(url, { days: 1, rows: 1, bytes: 1 });
      await store.close();
    })();
    return this.#migrated;
  }

  async #create(copyOf: string, name = this.#nextName()): Promise<string> {
    const client = new pg.Client({ connectionString: this.urlOf("postgres") });
    await client.connect();
    try {
      // Copied as files: written to the WAL, a database of 8 MB costs several times as much.
      await client.query(`CREATE DATABASE ${name} TEMPLATE ${copyOf} STRATEGY FILE_COPY`);
    } finally {
      await client.end();
    }
    return this.urlOf(name);
  }

  /** Several processes may share the server. */
  #nextName(): string {
    this.#databases += 1;
    return `test_${process.pid}${String(this.#databases).padStart(4, "0")}`;
  }
}
