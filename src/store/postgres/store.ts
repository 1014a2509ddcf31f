/**
 * The store for many nodes on one PostgreSQL: one session for groups of writes, one for admin commands, one
 * for lookups, a few for all other reads of callers, a few for reads of operators, and a few for long lists,
 * in a thread of their own.
 */
import type { Idempotency } from "#domain/idempotency.ts";
import type { Store, StoreLoad, StoreWatch } from "#domain/ports/store.ts";
import type { AppendPart, CreateUpload } from "#domain/ports/uploads.ts";
import type { Retention } from "#domain/refused-call.ts";
import { LEDGER_DAYS } from "#domain/sending/recipient.ts";
import { type Context, isDeclared } from "../cold/features.ts";
import { MAY_MIGRATE, type OpenOptions } from "../migrations.ts";
import { type Calls, type Reads, storeOf } from "../ports.ts";
import { boundedCreate, DEFAULT_BOUNDS, storedAppend, type UploadBounds } from "../uploads.ts";
import { CallersFirst, type CommittedStep } from "../writes/callers-first.ts";
import { isBackground, ownerOf, workOf } from "../writes/command-scheduling.ts";
import { GroupCommit } from "../writes/group-commit.ts";
import { isCallerKind } from "./hot/caller-command.ts";
import { eventSubscriberRow } from "./hot/event-subscribers.ts";
import { type OperatorCommand, Operators } from "./operators.ts";
import { Reader } from "./reader.ts";
import { asErrorAt } from "./sessions/failures.ts";
import { sumConnections } from "./sessions/read-pool.ts";
import { ListPages } from "./threads/list-pages.ts";
import { GroupWriter, type WaitingCommand, type WriterCommand, type WriterOutcome } from "./writer.ts";

export const LOOKUP_CONNECTIONS = 1;
export const PAGE_CONNECTIONS = 3;

/** A step that is committed as one of the calls. Calls on other nodes do not wait for it. */
async function stepOf(submit: () => Promise<unknown>): Promise<CommittedStep> {
  const began = performance.now();
  const value = await submit();
  return { value, heldMs: performance.now() - began, othersWrote: false, ownGroups: 1 };
}

export class PostgresStore implements Calls {
  readonly schemaVersion: number;
  readonly #writer: GroupWriter;
  readonly #operators: Operators;
  readonly #lookups: Reader;
  /** Pages, and reads that may take long. No API-key lookup waits behind them for a connection. */
  readonly #reader: Reader;
  readonly #operatorReader: Reader;
  readonly #lists: ListPages;
  readonly #commands: GroupCommit<WaitingCommand, WriterOutcome>;
  readonly #orders: GroupCommit<OperatorCommand, CommittedStep>;
  readonly #background: CallersFirst;
  readonly #context: Context;
  readonly #uploads: UploadBounds;
  readonly #url: string;

  private constructor(
    schemaVersion: number,
    url: string,
    operators: Operators,
    context: Context,
    replica: string | null,
    watch: StoreWatch | null,
    uploads: UploadBounds,
  ) {
    this.#uploads = uploads;
    this.#url = url;
    this.schemaVersion = schemaVersion;
    this.#writer = new GroupWriter(url, context.retention, schemaVersion);
    this.#operators = operators;
    this.#lookups = Reader.forCallers(url, LOOKUP_CONNECTIONS);
    this.#reader = Reader.forCallers(url, PAGE_CONNECTIONS);
    this.#lists = new ListPages(url, replica);
    this.#context = context;
    this.#commands = new GroupCommit(
      (group) => this.#writer.commit(group),
      {
        ownerOf: ({ command }) => ownerOf(command.args),
        workOf: ({ command }) => workOf(command.args),
      },
      watch,
    );
    this.#operatorReader = Reader.forOperators(url, () => this.#commands.isBusy);
    this.#orders = new GroupCommit(
      (group) => operators.execute(group),
      { ownerOf: ({ args }) => ownerOf(args), workOf: ({ args }) => workOf(args) },
      watch,
    );
    this.#background = new CallersFirst(this.#commands);
  }

  /** Creates the tables, or migrates them if allowed. Throws StoreRefused if the database cannot be used. */
  static async open(
    url: string,
    retention: Retention,
    replica: string | null = null,
    watch: StoreWatch | null = null,
    options: OpenOptions = MAY_MIGRATE,
  ): Promise<Store> {
    const { uploads = DEFAULT_BOUNDS, ledgerDays = LEDGER_DAYS } = options;
    const context = { retention, ledgerDays };
    const operators = new Operators(url, context);
    try {
      const version = await operators.migrate(Date.now(), options);
      return storeOf(new PostgresStore(version, url, operators, context, replica, watch, uploads), watch);
    } catch (error) {
      await operators.close();
      throw asErrorAt(error, url);
    }
  }

  get load(): StoreLoad {
    return {
      waiting: this.#commands.waiting + this.#orders.waiting,
      connections: sumConnections(this.#readers()),
    };
  }

  write(kind: string, args: object, key?: Idempotency): Promise<unknown> {
    if (isCallerKind(kind) || kind === "health.probeWrite") {
      const submit = () =>
        this.#commands.submit({ command: { kind, args, key } as WriterCommand, since: performance.now() });
      return isBackground(kind, args) ? this.#background.run(() => stepOf(submit)) : submit();
    }
    const execute = () =>
      this.#orders.submit({ kind, args: this.#completed(kind, args), key, since: performance.now() });
    return isBackground(kind, args) ? this.#background.run(execute) : execute().then(({ value }) => value);
  }

  /** The bytes of uploads are in the database. */
  #completed(kind: string, args: object): object {
    if (kind === "uploads.create") return boundedCreate(args as CreateUpload, this.#uploads);
    return kind === "uploads.append" ? storedAppend(args as AppendPart, this.#uploads, null) : args;
  }

  async rewrite(signal: AbortSignal): Promise<boolean> {
    const { rewrite } = await import("./rewrite.ts");
    return rewrite(this.#url, false, { signal });
  }

  readonly rowOf = eventSubscriberRow;

  get forCallers(): Reads {
    return this.#readsOf(
      (kind) => (isDeclared(kind, "isLookup") ? this.#lookups : this.#reader),
      this.#reader,
    );
  }
  get forOperators(): Reads {
    return this.#readsOf(() => this.#operatorReader, this.#operatorReader);
  }
  /** Pages of long lists are bounded, and read in rotation of the accounts, also for operators. */
  #readsOf(readerFor: (kind: string) => Reader, pages: Reader): Reads {
    return {
      read: (kind, args) => readerFor(kind).read(kind, args, this.#context),
      page: (kind, args, range) => pages.page(kind, args, range),
      encodedPage: (...call) => this.#lists.page(call),
    };
  }

  async close(): Promise<void> {
    await this.#background.drained();
    await Promise.all([this.#commands.drained(), this.#orders.drained()]);
    await Promise.all(this.#readers().map((reader) => reader.close()));
    await Promise.all([this.#writer.close(), this.#operators.close()]);
  }

  #readers(): readonly (Reader | ListPages)[] {
    return [this.#lookups, this.#reader, this.#operatorReader, this.#lists];
  }
}
