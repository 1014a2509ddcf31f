/**
 * Builds the ports of a store from the four ways in which a store can be asked. Identical reads are shared,
 * and the rows that were read are reported, for every store alike.
 */
import type { EventSubscriber } from "#domain/campaign.ts";
import { type Idempotency, storedRequest } from "#domain/idempotency.ts";
import type { EncodedPage, RowForm } from "#domain/paging/encoded-rows.ts";
import { pagesBy } from "#domain/paging/pages.ts";
import type { Page, PageRange } from "#domain/ports/listing.ts";
import type { IdempotentStore, Ports, Store, StoreLoad, StoreWatch } from "#domain/ports/store.ts";
import type { Requests } from "#domain/ports/work/requests.ts";
import { type Args, type MethodKind, methodKinds, type TunedEncoded } from "./methods.ts";
import { type Cursor, oneAhead, PAGE_SIZE, type WrittenRows } from "./reads/paging.ts";
import { isShared, questionOf, SharedReads } from "./reads/shared-reads.ts";
import { NumberedWrites } from "./writes/numbered-writes.ts";

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
interface Writes extends Pick<IdempotentStore, "isRepeat"> {
  wasExecuted(find: Requests["wasExecuted"]): Promise<boolean>;
  readonly write: (kind: string, args: object) => Promise<unknown>;
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
      isShared(kind)
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
