/**
 * Builds the ports of a store from its four kinds of methods: commands, reads, listings, pre-encoded rows.
 */
import type { EventSubscriber } from "../domain/campaign.ts";
import type { EncodedPage, RowForm } from "../domain/encoded-rows.ts";
import type { Page, PageRange } from "../domain/ports/listing.ts";
import type { Ports, Store, StoreLoad } from "../domain/ports/store.ts";
import { type Args, type MethodKind, methodKinds, type TunedEncoded } from "./methods.ts";
import { PAGE_SIZE } from "./paging.ts";

/** What a store does, by the kind of method (`methods.ts`). */
export interface Calls {
  write(kind: string, args: object): Promise<unknown>;
  read(kind: string, args: object): Promise<unknown>;
  page(kind: string, args: object, range: PageRange): Promise<Page<unknown>>;
  encodedPages(
    kind: TunedEncoded,
    args: Args<TunedEncoded>,
    form: RowForm<EventSubscriber>,
  ): AsyncIterable<EncodedPage>;
  readonly schemaVersion: number;
  readonly load: StoreLoad;
  close(): Promise<void>;
}

export function storeOf(calls: Calls): Store {
  const ports: Record<string, Record<string, unknown>> = {};
  for (const [kind, how] of methodKinds) {
    const [feature = "", method = ""] = kind.split(".");
    ports[feature] ??= {};
    ports[feature][method] = methodOf(calls, kind, how);
  }
  return {
    // The kinds are derived from the ports, so each method is there.
    ...(ports as unknown as Ports),
    schemaVersion: calls.schemaVersion,
    get load() {
      return calls.load;
    },
    close: () => calls.close(),
  };
}

const NO_ARGS = {};

function methodOf(calls: Calls, kind: string, how: MethodKind): unknown {
  if (how === "command") return (args: object = NO_ARGS) => calls.write(kind, args);
  if (how === "read") return (args: object = NO_ARGS) => calls.read(kind, args);
  if (how === "encoded")
    return (args: Args<TunedEncoded>, form: RowForm<EventSubscriber>) =>
      calls.encodedPages(kind as TunedEncoded, args, form);
  const page = (args: object, range: PageRange): Promise<Page<unknown>> => calls.page(kind, args, range);
  return {
    page,
    async *pages(args: object): AsyncGenerator<readonly unknown[]> {
      let after: PageRange | null = { after: null, limit: PAGE_SIZE };
      while (after !== null) {
        const { rows, next }: Page<unknown> = await page(args, after);
        if (rows.length > 0) yield rows;
        after = next === null ? null : { after: next, limit: PAGE_SIZE };
      }
    },
  };
}
