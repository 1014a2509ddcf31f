/**
 * Builds the ports of a store from the four ways in which a store can be asked. Identical reads are shared,
 * and the rows that were read are reported, for every store alike.
 */

import type { EventSubscriber } from "#domain/campaign.ts";
import { type Idempotency, type StoredRequest, storedRequest } from "#domain/idempotency.ts";
import { type EncodedPage, pagesBy, type RowForm } from "#domain/paging.ts";
import type { Requests } from "#domain/ports/idempotency.ts";
import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { IdempotentStore, Ports, Store, StoreLoad, StoreWatch } from "#domain/ports/store.ts";
import { type Args, type Kind, type MethodKind, methodKinds, type TunedEncoded } from "./methods.ts";
import { type Cursor, oneAhead, PAGE_SIZE, type WrittenRows } from "./reads/paging.ts";
import type { Kept } from "./writes/idempotency.ts";

/**
 * Identical reads share a query (request coalescing). Calls that arrive while such a query runs wait for the
 * next one, which begins when the running one ends, and share its result or error. So no call gets an answer
 * that was begun before the call, and there is at most one query at a time for the same question, however
 * many calls ask it. The results are shared objects: their types are readonly.
 */
interface Running {
  readonly ended: Promise<void>;
  next: Next | null;
}
interface Next {
  readonly result: Promise<unknown>;
  readonly begin: () => void;
}

/**
 * A call does not wait longer for a slow query before its own begins. With the time that a read may take, it
 * stays below the five seconds within which every call is answered.
 */
const LONGEST_WAIT_MS = 500;

/**
 * Besides the listings, the reads that many calls need at once. Other reads are not shared: operators and
 * commands need them, their arguments are long, or the authenticator shares them already.
 */
const sharedKinds = new Set(["campaigns.byId", "campaigns.lastSent"]);

/** `args` are few and short: they are kept, as text, while the read runs. */
export const questionOf = (kind: string, args: object): string => `${kind} ${JSON.stringify(args)}`;

export class SharedReads {
  /** By question. An entry stays as long as its query runs, so there are at most as many as calls. */
  readonly #running = new Map<string, Running>();

  read<Result>(question: string, read: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(question);
    if (running === undefined) return this.#begin(question, read);
    running.next ??= this.#after(running, question, read);
    return running.next.result as Promise<Result>;
  }

  /**
   * A page of a listing. Only a listing of one page is shared: otherwise all callers of a long one would be
   * half-way through it at once, whereas its pages are read in turn.
   */
  async page<Row>(
    kind: string,
    args: object,
    range: PageRange,
    read: () => Promise<Page<Row>>,
  ): Promise<Page<Row>> {
    if (("after" in range ? range.after : range.before) !== null) return read();
    const own: Page<Row>[] = [];
    const page = await this.read(questionOf(kind, { ...args, ...range }), async () => {
      const found = await read();
      own.push(found);
      return found;
    });
    const isWhole = page.previous === null && page.next === null;
    return isWhole || own.includes(page) ? page : read();
  }

  /** Resolves when every query that was asked for has ended. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #begin<Result>(question: string, read: () => Promise<Result>): Promise<Result> {
    const result = read();
    const end = (): void => this.#end(question, running);
    // Before the callers of this query continue, so that their next calls find the next query.
    const running: Running = { ended: result.then(end, end), next: null };
    this.#running.set(question, running);
    return result;
  }

  #after<Result>(running: Running, question: string, read: () => Promise<Result>): Next {
    const { promise: result, resolve } = Promise.withResolvers<Result>();
    const timer = setTimeout(() => this.#end(question, running), LONGEST_WAIT_MS);
    const begin = (): void => {
      clearTimeout(timer);
      resolve(this.#begin(question, read));
    };
    return { result, begin };
  }

  /** The query has ended, or its successor has waited long enough. */
  #end(question: string, running: Running): void {
    if (this.#running.get(question) !== running) return;
    this.#running.delete(question);
    running.next?.begin();
  }
}

// The writes of a request that may be repeated are numbered in the order in which the request makes them. So
// a repeat finds the result of each, and continues with the missing one.

/**
 * Writes that a process makes for itself. No request asks for them, so none has a key. A request and its
 * repeat may differ in them.
 */
const ofProcess: ReadonlySet<string> = new Set<Kind>([
  "jobs.claim",
  "jobs.ensurePeriodic",
  "jobs.fail",
  "jobs.handBack",
  "jobs.proceed",
  "jobs.release",
  "jobs.resume",
  "jobs.step",
  "jobs.take",
  "keys.touch",
  "users.rehash",
  "users.touchTokens",
  "uploads.dropParts",
  "secrets.ofInstallation",
  "health.probeWrite",
]);

/**
 * Ordinals of one item; those of the request itself come before those of the first item. An erasure makes the
 * most writes: it searches the refused calls of the account in steps.
 */
const ORDINALS_PER_ITEM = 100_000;

/** The writes of one request, or of one item of it. */
class NumberedWrites {
  readonly #calls: Pick<Calls, "write">;
  readonly #request: StoredRequest;
  readonly #first: number;
  #next: number;
  #isRepeat = false;
  #wasExecuted: Promise<boolean> | null = null;

  constructor(calls: Pick<Calls, "write">, request: StoredRequest, item = -1) {
    this.#calls = calls;
    this.#request = request;
    this.#first = (item + 1) * ORDINALS_PER_ITEM;
    this.#next = this.#first;
  }

  get isRepeat(): boolean {
    return this.#isRepeat;
  }

  wasExecuted(find: Requests["wasExecuted"]): Promise<boolean> {
    this.#wasExecuted ??= find(this.#request);
    return this.#wasExecuted;
  }

  item(index: number): NumberedWrites {
    return new NumberedWrites(this.#calls, this.#request, index);
  }

  /** Numbered when it is called, whenever it is executed. */
  readonly write = async (kind: string, args: object): Promise<unknown> => {
    if (ofProcess.has(kind)) return this.#calls.write(kind, args);
    const ordinal = this.#next;
    if (ordinal - this.#first >= ORDINALS_PER_ITEM)
      throw new Error(`a request with an idempotency key makes more than ${ORDINALS_PER_ITEM} writes`);
    this.#next += 1;
    const { value, isRepeat } = (await this.#calls.write(kind, args, { ...this.#request, ordinal })) as Kept;
    if (ordinal === this.#first) this.#isRepeat = isRepeat;
    return value;
  };
}

/** What a store reads, by the kind of method (`methods.ts`). */
export interface Reads {
  read(kind: string, args: object): Promise<unknown>;
  page(kind: string, args: object, range: PageRange): Promise<Page<unknown>>;
  encodedPage(
    kind: TunedEncoded,
    args: Args<TunedEncoded>,
    row: string,
    after: Cursor | null,
  ): Promise<WrittenRows>;
}
/** What a store does. */
export interface Calls {
  /** With a key, it resolves with `Kept`. */
  write(kind: string, args: object, key?: Idempotency): Promise<unknown>;
  readonly forCallers: Reads;
  readonly forOperators: Reads;
  /** The SQL expression of an encoded row. */
  readonly rowOf: (form: RowForm<EventSubscriber>) => string;
  readonly schemaVersion: number;
  readonly load: StoreLoad;
  rewrite: Store["rewrite"];
  close(): Promise<void>;
}

type Methods = Readonly<Record<MethodKind, (kind: string) => unknown>>;
type ReadMethods = Omit<Methods, "command">;
/** How a store writes: plainly, or numbered for a request that may be repeated. */
interface Writes extends Pick<NumberedWrites, "isRepeat" | "wasExecuted" | "write"> {
  item(index: number): Writes;
}

export function storeOf(calls: Calls, watch: StoreWatch | null): Store {
  const shared = [new SharedReads(), new SharedReads()] as const;
  const forCallers = readMethods(calls, calls.forCallers, shared[0], watch);
  const forOperators = readMethods(calls, calls.forOperators, shared[1], watch);
  const close = async (): Promise<void> => {
    for (const reads of shared) await reads.drained();
    await calls.close();
  };
  const build = (reads: ReadMethods, writes: Writes): IdempotentStore => {
    let operators: Store | null = null;
    const ports = portsOf({ ...reads, command: commandsOf(writes) });
    return {
      ...ports,
      schemaVersion: calls.schemaVersion,
      get load() {
        return calls.load;
      },
      get forOperators() {
        operators ??= build(forOperators, writes);
        return operators;
      },
      idempotent: (request) => build(reads, new NumberedWrites(calls, storedRequest(request))),
      wasExecuted: () => writes.wasExecuted((request) => ports.requests.wasExecuted(request)),
      get isRepeat() {
        return writes.isRepeat;
      },
      item: (index) => build(reads, writes.item(index)),
      rewrite: (signal) => calls.rewrite(signal),
      close,
    };
  };
  const plain: Writes = {
    wasExecuted: async () => false,
    write: (kind, args) => calls.write(kind, args),
    isRepeat: false,
    item: () => plain,
  };
  return build(forCallers, plain);
}

const methods = [...methodKinds].map(([kind, how]) => {
  const [feature = "", method = ""] = kind.split(".");
  return { kind, how, feature, method };
});
function portsOf(made: Methods): Ports {
  const ports: Record<string, Record<string, unknown>> = {};
  for (const { kind, how, feature, method } of methods) {
    ports[feature] ??= {};
    ports[feature][method] = made[how](kind);
  }
  // The kinds are derived from the ports, so each method is there.
  return ports as unknown as Ports;
}

const NO_ARGS = {};

const commandsOf =
  ({ write }: Writes): Methods["command"] =>
  (kind) =>
  (args: object = NO_ARGS) =>
    write(kind, args);

function readMethods(
  { rowOf }: Pick<Calls, "rowOf">,
  reads: Reads,
  shared: SharedReads,
  watch: StoreWatch | null,
): ReadMethods {
  async function pageOf(kind: string, args: object, range: PageRange): Promise<Page<unknown>> {
    const page = await shared.page(kind, args, range, () => reads.page(kind, args, range));
    watch?.read(page.rows.length);
    return page;
  }
  const pagesOf = (kind: string, args: object) => pagesBy(PAGE_SIZE, (range) => pageOf(kind, args, range));
  function encodedPages(
    kind: TunedEncoded,
    args: Args<TunedEncoded>,
    form: RowForm<EventSubscriber>,
  ): AsyncGenerator<EncodedPage> {
    const row = rowOf(form);
    return oneAhead(async (after) => {
      const page = await reads.encodedPage(kind, args, row, after);
      watch?.read(page.rows);
      return page;
    });
  }
  return {
    read: (kind) =>
      sharedKinds.has(kind)
        ? (args: object) => shared.read(questionOf(kind, args), () => reads.read(kind, args))
        : (args: object = NO_ARGS) => reads.read(kind, args),
    listing: (kind) => ({
      page: (args: object, range: PageRange) => pageOf(kind, args, range),
      pages: (args: object) => pagesOf(kind, args),
    }),
    encoded: (kind) => (args: Args<TunedEncoded>, form: RowForm<EventSubscriber>) =>
      encodedPages(kind as TunedEncoded, args, form),
  };
}
