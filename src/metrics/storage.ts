/** How the store fares: groups of writes, rows read, connections, and how much room the data takes and has. */
import { Counter, Gauge, Histogram } from "./families.ts";
import type { Registry } from "./registry.ts";

/** What is asked for whenever the numbers are. null: not known. */
export interface StorageSnapshot {
  readonly waiting: number;
  readonly connections: { readonly busy: number; readonly idle: number; readonly waiting: number };
  readonly databaseBytes: number | null;
  readonly freeBytes: number | null;
  /** Of each check whether it passed. */
  readonly checks: ReadonlyMap<string, boolean>;
}

const GROUP_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export class StorageMetrics {
  readonly #groups: Histogram;
  readonly #commits: Histogram;
  readonly #rows: Counter;
  readonly #waiting: Gauge;
  readonly #connections: Gauge;
  readonly #readsWaiting: Gauge;
  readonly #databaseBytes: Gauge;
  readonly #freeBytes: Gauge;
  readonly #checks: Gauge;
  readonly #checkNames: readonly string[];

  constructor(registry: Registry, checkNames: readonly string[]) {
    this.#groups = registry.add(
      new Histogram(
        { name: "mailroll_group_writes", help: "How many writes shared one commit." },
        GROUP_SIZES,
      ),
    );
    this.#commits = registry.add(
      new Histogram(
        {
          name: "mailroll_commit_seconds",
          unit: "seconds",
          help: "How long a group of writes took to be decided and committed.",
        },
        SECONDS,
      ),
    );
    this.#waiting = registry.add(
      new Gauge({ name: "mailroll_writes_waiting", help: "Writes that wait for the next commit now." }),
    );
    this.#rows = registry.add(
      new Counter({ name: "mailroll_rows", help: "Rows of lists read for callers." }),
    );
    this.#connections = registry.add(
      new Gauge({ name: "mailroll_postgres_connections", help: "PostgreSQL connections for reading." }, [
        { state: "busy" },
        { state: "idle" },
      ]),
    );
    this.#readsWaiting = registry.add(
      new Gauge({
        name: "mailroll_postgres_waiting",
        help: "Reads that wait for a PostgreSQL connection now.",
      }),
    );
    // All processes see the same database and disk.
    this.#databaseBytes = registry.add(
      new Gauge(
        { name: "mailroll_database_bytes", unit: "bytes", help: "How large the database is." },
        [{}],
        "max",
      ),
    );
    this.#freeBytes = registry.add(
      new Gauge(
        {
          name: "mailroll_disk_free_bytes",
          unit: "bytes",
          help: "How much of the disk is free where the SQLite file is.",
        },
        [{}],
        "max",
      ),
    );
    this.#checkNames = checkNames;
    this.#checks = registry.add(
      new Gauge(
        {
          name: "mailroll_checks_failed",
          help: "How many processes fail a check of /readyz now.",
        },
        checkNames.map((check) => ({ check })),
      ),
    );
  }

  committed(writes: number, ms: number): void {
    this.#groups.observe(writes);
    this.#commits.observe(ms / 1000);
  }
  read(rows: number): void {
    this.#rows.add(rows);
  }
  update({ waiting, connections, databaseBytes, freeBytes, checks }: StorageSnapshot): void {
    this.#waiting.set(waiting);
    this.#connections.set(connections.busy, 0);
    this.#connections.set(connections.idle, 1);
    this.#readsWaiting.set(connections.waiting);
    this.#databaseBytes.set(databaseBytes);
    this.#freeBytes.set(freeBytes);
    for (const [series, name] of this.#checkNames.entries()) {
      const passed = checks.get(name);
      this.#checks.set(passed === undefined ? null : Number(!passed), series);
    }
  }
}
