/** The embedded store: one SQLite file, one writing thread, one for lookups, and one for all other reads. */

import type { EncodedPage, RowForm } from "../../domain/encoded-rows.ts";
import type {
  EncodedListings,
  Listings,
  Reads,
  Store,
  StoreLoad,
  StoreWatch,
  Writes,
} from "../../domain/ports.ts";
import type { Retention } from "../../domain/refusal.ts";
import { ownerOf, workOf } from "../command-share.ts";
import { GroupCommit, type Settled } from "../group-commit.ts";
import { MAY_MIGRATE, type OpenOptions } from "../migrations.ts";
import { type Cursor, inPages, oneAhead, type Page, type WrittenRows } from "../paging.ts";
import { isShared, questionOf, SharedReads } from "../shared-reads.ts";
import { eventSubscriberRow } from "./hot/event-subscribers.ts";
import { Thread } from "./threads/thread.ts";
import { received, type SentError, type ThreadData } from "./threads/thread-protocol.ts";
import type { WriteCall, WriteResult } from "./writer.ts";

const entry = (name: string): URL => new URL(`./threads/${name}-thread.ts`, import.meta.url);
const rows: {
  readonly [K in keyof EncodedListings]: (form: RowForm<EncodedListings[K]["result"]>) => string;
} = { subscribersByEvent: eventSubscriberRow };
/** Indexed lookups that any call may need before it does anything, whatever else is in the file. */
const lookups = new Set<keyof Reads>(["keyByHash", "campaign", "lastSentCampaign", "ping", "databaseBytes"]);
type SentSettled = Settled<WriteResult> | { readonly ok: false; readonly error: SentError };

export class SqliteStore implements Store {
  readonly schemaVersion: number;
  readonly #writer: Thread;
  readonly #lookups: Thread;
  /** Pages, and reads that may take long. No API-key lookup waits behind them. */
  readonly #pages: Thread;
  readonly #writes: GroupCommit<WriteCall, WriteResult>;
  readonly #shared = new SharedReads();
  readonly #watch: StoreWatch | null;

  private constructor(
    schemaVersion: number,
    writer: Thread,
    lookups: Thread,
    pages: Thread,
    watch: StoreWatch | null,
  ) {
    this.schemaVersion = schemaVersion;
    this.#writer = writer;
    this.#lookups = lookups;
    this.#pages = pages;
    this.#watch = watch;
    this.#writes = new GroupCommit(
      async (group) => {
        const results = (await writer.ask(group)) as readonly SentSettled[];
        return results.map((settled) =>
          settled.ok || settled.error instanceof Error
            ? (settled as Settled<WriteResult>)
            : { ok: false, error: received(settled.error) },
        );
      },
      { ownerOf: ([, args]) => ownerOf(args), workOf: ([, args]) => workOf(args) },
      (writes, ms) => watch?.committed(writes, ms),
    );
  }

  /** Creates the file, or migrates it if allowed. Throws StoreRefused if it cannot be used. */
  static async open(
    file: string,
    retention: Retention,
    watch: StoreWatch | null = null,
    { mayMigrate }: OpenOptions = MAY_MIGRATE,
  ): Promise<SqliteStore> {
    const data: ThreadData = { file, retention, mayMigrate, files: null };
    const writer = new Thread(entry("writer"), data);
    const { schemaVersion, files } = await writer.open();
    data.files = files;
    // These threads start on first use: each costs memory, a command needs one of them, and many
    // installations read no list.
    const [forLookups, forPages] = [new Thread(entry("reader"), data), new Thread(entry("reader"), data)];
    return new SqliteStore(schemaVersion, writer, forLookups, forPages, watch);
  }

  get load(): StoreLoad {
    return { waiting: this.#writes.waiting, connections: { busy: 0, idle: 0, waiting: 0 } };
  }

  write<K extends keyof Writes>(kind: K, args: Writes[K]["args"]): Promise<Writes[K]["result"]> {
    return this.#writes.submit([kind, args] as unknown as WriteCall) as Promise<Writes[K]["result"]>;
  }

  read<K extends keyof Reads>(kind: K, args: Reads[K]["args"]): Promise<Reads[K]["result"]> {
    const thread = lookups.has(kind) ? this.#lookups : this.#pages;
    const read = () => thread.ask(["read", kind, args]) as Promise<Reads[K]["result"]>;
    return isShared(kind) ? this.#shared.read(questionOf(kind, args), read) : read();
  }

  pages<K extends keyof Listings>(
    kind: K,
    args: Listings[K]["args"],
  ): AsyncGenerator<readonly Listings[K]["result"][]> {
    const question = questionOf(kind, args);
    return inPages(async (after) => {
      const page = await this.#shared.page(question, after, (from) =>
        this.#page<Page<Listings[K]["result"], Cursor>>(["page", kind, args, from]),
      );
      this.#watch?.read(page.rows.length);
      return page;
    });
  }

  encodedPages<K extends keyof EncodedListings>(
    kind: K,
    args: EncodedListings[K]["args"],
    form: RowForm<EncodedListings[K]["result"]>,
  ): AsyncGenerator<EncodedPage> {
    const row = rows[kind](form);
    return oneAhead(async (after) => {
      const page = await this.#page<WrittenRows>(["encoded", kind, args, row, after]);
      this.#watch?.read(page.rows);
      return page;
    });
  }

  #page<Found>(call: readonly unknown[]): Promise<Found> {
    return this.#pages.ask(call) as Promise<Found>;
  }

  async close(): Promise<void> {
    await Promise.all([this.#writes.drained(), this.#shared.drained()]);
    await Promise.all([this.#lookups.close(), this.#pages.close()]);
    // Last, so that SQLite can remove its journal.
    await this.#writer.close();
  }
}
