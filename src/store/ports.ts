/**
 * Builds the ports of a store from the four ways in which a store can be asked. Identical reads are shared,
 * and the rows that were read are reported, for every store alike.
 */
import type { EventSubscriber } from "../domain/campaign.ts";
import type { EncodedPage, RowForm } from "../domain/encoded-rows.ts";
import type { Page, PageRange } from "../domain/ports/listing.ts";
import type { Ports, Store, StoreLoad, StoreWatch } from "../domain/ports/store.ts";
import { type Args, type MethodKind, methodKinds, type TunedEncoded } from "./methods.ts";
import { type Cursor, oneAhead, PAGE_SIZE, type WrittenRows } from "./paging.ts";
import { isShared, questionOf, SharedReads } from "./shared-reads.ts";

/** What a store does, by the kind of method (`methods.ts`). */
export interface Calls {
  write(kind: string, args: object): Promise<unknown>;
  read(kind: string, args: object): Promise<unknown>;
  page(kind: string, args: object, range: PageRange): Promise<Page<unknown>>;
  /** The SQL expression of an encoded row. */
  rowOf(form: RowForm<EventSubscriber>): string;
  encodedPage(
    kind: TunedEncoded,
    args: Args<TunedEncoded>,
    row: string,
    after: Cursor | null,
  ): Promise<WrittenRows>;
  readonly schemaVersion: number;
  readonly load: StoreLoad;
  close(): Promise<void>;
}

export function storeOf(calls: Calls, watch: StoreWatch | null): Store {
  const shared = new SharedReads();
  const methods = methodsOf(calls, shared, watch);
  const ports: Record<string, Record<string, unknown>> = {};
  for (const [kind, how] of methodKinds) {
    const [feature = "", method = ""] = kind.split(".");
    ports[feature] ??= {};
    ports[feature][method] = methods[how](kind);
  }
  return {
    // The kinds are derived from the ports, so each method is there.
    ...(ports as unknown as Ports),
    schemaVersion: calls.schemaVersion,
    get load() {
      return calls.load;
    },
    async close() {
      await shared.drained();
      await calls.close();
    },
  };
}

const NO_ARGS = {};

function methodsOf(
  calls: Calls,
  shared: SharedReads,
  watch: StoreWatch | null,
): Readonly<Record<MethodKind, (kind: string) => unknown>> {
  async function pageOf(kind: string, args: object, range: PageRange): Promise<Page<unknown>> {
    const page = await shared.page(kind, args, range, () => calls.page(kind, args, range));
    watch?.read(page.rows.length);
    return page;
  }
  async function* pagesOf(kind: string, args: object): AsyncGenerator<readonly unknown[]> {
    let after: PageRange | null = { after: null, limit: PAGE_SIZE };
    while (after !== null) {
      const { rows, next }: Page<unknown> = await pageOf(kind, args, after);
      if (rows.length > 0) yield rows;
      after = next === null ? null : { after: next, limit: PAGE_SIZE };
    }
  }
  function encodedPages(
    kind: TunedEncoded,
    args: Args<TunedEncoded>,
    form: RowForm<EventSubscriber>,
  ): AsyncGenerator<EncodedPage> {
    const row = calls.rowOf(form);
    return oneAhead(async (after) => {
      const page = await calls.encodedPage(kind, args, row, after);
      watch?.read(page.rows);
      return page;
    });
  }
  return {
    command:
      (kind) =>
      (args: object = NO_ARGS) =>
        calls.write(kind, args),
    read: (kind) =>
      isShared(kind)
        ? (args: object) => shared.read(questionOf(kind, args), () => calls.read(kind, args))
        : (args: object = NO_ARGS) => calls.read(kind, args),
    listing: (kind) => ({
      page: (args: object, range: PageRange) => pageOf(kind, args, range),
      pages: (args: object) => pagesOf(kind, args),
    }),
    encoded: (kind) => (args: Args<TunedEncoded>, form: RowForm<EventSubscriber>) =>
      encodedPages(kind as TunedEncoded, args, form),
  };
}
