/** The store: group commits, rows read, connections, database size, free disk space and readiness checks. */
import { Counter, Gauge, Histogram } from "./families.ts";
import type { Registry } from "./registry.ts";

/** Values that are read at collection. null: not known. */
export interface StorageSnapshot {
  readonly waiting: number;
  readonly connections: { readonly busy: number; readonly idle: number; readonly waiting: number };
  readonly databaseBytes: number | null;
  readonly freeBytes: number | null;
  /** How many jobs are in each state. */
  readonly jobs: Readonly<Record<(typeof JOB_STATES)[number], number>> | null;
  /** How long a rewrite of the database has been due; 0: none is. */
  readonly rewriteDueMs: number | null;
  /** Whether each check passed. */
  readonly checks: ReadonlyMap<string, boolean>;
}

export const JOB_STATES = ["waiting", "running", "retrying"] as const;
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
  readonly #jobs: Gauge;
  readonly #rewriteDue: Gauge;
  readonly #checks: Gauge;
  readonly #checkNames: readonly string[];

  constructor(registry: Registry, checkNames: readonly string[]) {
    this.#groups = registry.add(
      new Histogram({ name: "mailroll_commit_writes", help: "Number of writes in a commit." }, GROUP_SIZES),
    );
    this.#commits = registry.add(
      new Histogram(
        {
          name: "mailroll_commit_duration_seconds",
          unit: "seconds",
          help: "Duration of a group commit, from its first decision to its end.",
        },
        SECONDS,
      ),
    );
    this.#waiting = registry.add(
      new Gauge({ name: "mailroll_writes_waiting", help: "Writes that are waiting for the next commit." }),
    );
    this.#rows = registry.add(
      new Counter({ name: "mailroll_rows_read", help: "Rows of lists read for callers." }),
    );
    this.#connections = registry.add(
      new Gauge({ name: "mailroll_postgres_connections", help: "PostgreSQL connections for reading." }, [
        { state: "busy" },
        { state: "idle" },
      ]),
    );
    this.#readsWaiting = registry.add(
      new Gauge({
        name: "mailroll_postgres_reads_waiting",
        help: "Reads that are waiting for a PostgreSQL connection.",
      }),
    );
    // All processes see the same database and disk.
    this.#databaseBytes = registry.add(
      new Gauge(
        { name: "mailroll_database_bytes", unit: "bytes", help: "Size of the database." },
        [{}],
        "max",
      ),
    );
    this.#freeBytes = registry.add(
      new Gauge(
        {
          name: "mailroll_disk_free_bytes",
          unit: "bytes",
          help: "Free space on the disk of the SQLite file.",
        },
        [{}],
        "max",
      ),
    );
    this.#jobs = registry.add(
      new Gauge(
        { name: "mailroll_jobs", help: "Jobs in the database; those that failed last are retrying." },
        JOB_STATES.map((state) => ({ state })),
        "max",
      ),
    );
    this.#rewriteDue = registry.add(
      new Gauge(
        {
          name: "mailroll_rewrite_due_seconds",
          unit: "seconds",
          help: "How long the rewrite of the database after an erasure has been due; 0 if none is.",
        },
        [{}],
        "max",
      ),
    );
    this.#checkNames = checkNames;
    this.#checks = registry.add(
      new Gauge(
        {
          name: "mailroll_readiness_checks_failed",
          help: "Processes in which a check of /readyz fails now.",
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
  update(snapshot: StorageSnapshot): void {
    const { waiting, connections, databaseBytes, freeBytes, jobs, rewriteDueMs, checks } = snapshot;
    this.#waiting.set(waiting);
    this.#connections.set(connections.busy, 0);
    this.#connections.set(connections.idle, 1);
    this.#readsWaiting.set(connections.waiting);
    this.#databaseBytes.set(databaseBytes);
    this.#freeBytes.set(freeBytes);
    for (const [series, state] of JOB_STATES.entries()) this.#jobs.set(jobs?.[state] ?? null, series);
    this.#rewriteDue.set(rewriteDueMs === null ? null : rewriteDueMs / 1000);
    for (const [series, name] of this.#checkNames.entries()) {
      const passed = checks.get(name);
      this.#checks.set(passed === undefined ? null : Number(!passed), series);
    }
  }
}
