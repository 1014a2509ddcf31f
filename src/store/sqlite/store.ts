/**
 * The embedded store: one SQLite file, one writing thread, and three that read: one for lookups, one for all
 * other reads of callers, and one for operators.
 */

import type { Idempotency } from "#domain/idempotency.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { Store, StoreLoad, StoreWatch } from "#domain/ports/store.ts";
import type { Retention } from "#domain/refused-call.ts";
import { LEDGER_DAYS } from "#domain/sending/recipient.ts";
import { threadModule } from "#shipped.ts";
import { isDeclared, mayWalk } from "../cold/features.ts";
import { MAY_MIGRATE, type OpenOptions } from "../migrations.ts";
import { type Calls, type Reads, storeOf } from "../ports.ts";
import { PageLimiter } from "../reads/page-limiter.ts";
import type { WrittenRows } from "../reads/paging.ts";
import { Thread } from "../threads/thread.ts";
import { received, type SentError } from "../threads/thread-protocol.ts";
import { DEFAULT_BOUNDS, type UploadBounds } from "../uploads.ts";
import { CallersFirst, type CommittedStep } from "../writes/callers-first.ts";
import { isBackground, ownerOf, workOf } from "../writes/command-scheduling.ts";
import { GroupCommit, type Settled } from "../writes/group-commit.ts";
import { monotonicMs } from "./connection.ts";
import { FileUploads } from "./file-uploads.ts";
import { eventSubscriberRow } from "./hot/event-subscribers.ts";
import type { ReadCall } from "./reader.ts";
import type { OpenedDatabase, ThreadData } from "./threads/thread-data.ts";
import type { WriteCall, WriterCall, Writes } from "./writer.ts";

type SqliteThread = Thread<OpenedDatabase>;
const WRITER = threadModule("store/sqlite/threads/writer-thread.ts");
const READER = threadModule("store/sqlite/threads/reader-thread.ts");
const REWRITER = threadModule("store/sqlite/threads/rewrite-thread.ts");
/** Writes that may have deleted uploads, whose files are then removed. */
const endsUploads = (kind: string, args: object): boolean =>
  kind === "accounts.delete" ||
  kind === "subscribers.erase" ||
  (kind === "jobs.step" && "kind" in args && args.kind === "purge");
const callOf = (kind: string, args: object, key?: Idempotency): WriteCall =>
  key === undefined ? [kind, args] : [kind, args, key];
/**
 * How long a write waits for another process that writes, from its arrival: also while it waits for its turn.
 * Every call is answered within five seconds.
 */
const WRITE_MS = 4000;
type SentSettled = Settled<unknown> | { readonly ok: false; readonly error: SentError };

export class SqliteStore implements Calls {
  readonly schemaVersion: number;
  readonly #data: ThreadData;
  readonly #writer: SqliteThread;
  readonly #lookups: SqliteThread;
  /** Pages, and reads that may take long. No API-key lookup waits behind them. */
  readonly #pages: SqliteThread;
  readonly #operators: SqliteThread;
  readonly #writes: GroupCommit<WriteCall, unknown>;
  readonly #background: CallersFirst;
  readonly #watch: StoreWatch | null;
  readonly #uploads: FileUploads;

  private constructor(
    data: ThreadData,
    uploads: UploadBounds,
    schemaVersion: number,
    [writer, lookups, pages, operators]: readonly [SqliteThread, SqliteThread, SqliteThread, SqliteThread],
    watch: StoreWatch | null,
  ) {
    this.schemaVersion = schemaVersion;
    this.#data = data;
    this.#writer = writer;
    this.#lookups = lookups;
    this.#pages = pages;
    this.#operators = operators;
    this.#watch = watch;
    this.#writes = new GroupCommit(
      (group, since) => this.#commit({ group }, since),
      { ownerOf: ([, args]) => ownerOf(args), workOf: ([, args]) => workOf(args) },
      watch,
    );
    this.#background = new CallersFirst(this.#writes);
    this.#uploads = new FileUploads(
      data.file,
      uploads,
      (kind, args) => lookups.ask(["read", kind, args]),
      (kind, args, key) => this.#writes.submit(callOf(kind, args, key)),
    );
  }

  /** Creates the file, or migrates it if allowed. Throws StoreRefused if it cannot be used. */
  static async open(
    file: string,
    retention: Retention,
    watch: StoreWatch | null = null,
    {
      mayMigrate,
      uploads = DEFAULT_BOUNDS,
      ledgerDays = LEDGER_DAYS,
      hasThreads = true,
    }: OpenOptions = MAY_MIGRATE,
  ): Promise<Store> {
    const data: ThreadData = { file, retention, ledgerDays, mayMigrate, files: null };
    const start = hasThreads ? undefined : (await import("./threads/own-thread.ts")).startHere;
    const writer = new Thread<OpenedDatabase>(WRITER, data, start);
    const { schemaVersion, files } = await writer.open();
    data.files = files;
    // These threads start on first use: each costs memory, a command needs one of them, and many
    // installations read no list.
    const reader = (own: ThreadData = data) => new Thread<OpenedDatabase>(READER, own, start);
    const operators = reader({ ...data, isLowPriority: true });
    const threads = [writer, reader(), reader(), operators] as const;
    return storeOf(new SqliteStore(data, uploads, schemaVersion, threads, watch), watch);
  }

  get load(): StoreLoad {
    return { waiting: this.#writes.waiting, connections: { busy: 0, idle: 0, waiting: 0 } };
  }

  write(kind: string, args: object, key?: Idempotency): Promise<unknown> {
    if (kind.startsWith("uploads."))
      return this.#uploads.write(kind, args, key).catch((error: Error) => {
        this.#watch?.failed(error);
        throw error;
      });
    const call = callOf(kind, args, key);
    const done = isBackground(kind, args)
      ? this.#background.run(() => this.#step(call))
      : this.#writes.submit(call);
    return endsUploads(kind, args) ? this.#sweeping(done) : done;
  }

  async #sweeping(done: Promise<unknown>): Promise<unknown> {
    const result = await done;
    if (result !== "continues") await this.#uploads.sweep();
    return result;
  }

  async #step(call: WriteCall): Promise<CommittedStep> {
    const [settled] = await this.#commit({ step: call }, performance.now());
    if (settled === undefined) throw new Error("the writer thread returned no result for a step");
    if (!settled.ok) {
      this.#watch?.failed(settled.error);
      throw settled.error;
    }
    const step = settled.value as CommittedStep;
    this.#watch?.committed(1, step.heldMs);
    return step;
  }

  async #commit(writes: Writes, since: number): Promise<readonly Settled<unknown>[]> {
    const until = monotonicMs() + WRITE_MS - (performance.now() - since);
    const call: WriterCall = { ...writes, until };
    const results = (await this.#writer.ask(call)) as readonly SentSettled[];
    return results.map((settled) =>
      settled.ok || settled.error instanceof Error
        ? (settled as Settled<unknown>)
        : { ok: false, error: received(settled.error) },
    );
  }

  readonly rowOf = eventSubscriberRow;

  get forCallers(): Reads {
    return this.#readsOf((kind) => {
      if (isDeclared(kind, "isOfService") || kind === "health.clock") return this.#writer;
      // SQLite knows the size of a file without reading it.
      return isDeclared(kind, "isLookup") || kind === "health.databaseBytes" ? this.#lookups : this.#pages;
    }, this.#pages);
  }
  get forOperators(): Reads {
    const reads = this.#readsOf(() => this.#operators, this.#operators);
    const gateFor = PageLimiter.forOperators(() => this.#writes.isBusy);
    return {
      ...reads,
      read: (kind, args) =>
        isDeclared(kind, "isStepOfWalk")
          ? gateFor(true).run(ownerOf(args), false, () => reads.read(kind, args))
          : reads.read(kind, args),
      // In order: a client that reads page after page does not keep others from their first one.
      page: (kind, args, range) =>
        gateFor(mayWalk(kind, args)).run(ownerOf(args), false, () => reads.page(kind, args, range)),
    };
  }
  #readsOf(threadFor: (kind: string) => SqliteThread, pages: SqliteThread): Reads {
    const ask = (thread: SqliteThread, call: ReadCall): Promise<unknown> => thread.ask(call);
    const read: Reads["read"] = (kind, args) => ask(threadFor(kind), ["read", kind, args]);
    return {
      read: (kind, args) =>
        kind.startsWith("uploads.") ? this.#uploads.read(kind, args, read) : read(kind, args),
      page: (kind, args, range) => ask(pages, ["page", kind, args, range]) as Promise<Page<unknown>>,
      encodedPage: (...call) => ask(pages, ["encoded", ...call]) as Promise<WrittenRows>,
    };
  }

  /** In a thread that lives so long: reads are answered meanwhile. */
  async rewrite(signal: AbortSignal): Promise<boolean> {
    const stopped = new Int32Array(new SharedArrayBuffer(4));
    const stop = (): void => void Atomics.store(stopped, 0, 1);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    try {
      return await new Thread<boolean>(REWRITER, { ...this.#data, stopped }).open();
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async close(): Promise<void> {
    await this.#background.drained();
    await this.#writes.drained();
    await Promise.all([this.#lookups.close(), this.#pages.close(), this.#operators.close()]);
    // Last, so that SQLite can remove its journal.
    await this.#writer.close();
  }
}
