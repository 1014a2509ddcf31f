/**
 * Imports of tables. The adapter gives the bytes, and says where rejected rows go; everything else is the
 * same for all.
 */
import { actorName } from "#domain/access/audit.ts";
import type { ImportId } from "#domain/access/origin.ts";
import type { ImportCounts } from "#domain/import/batch.ts";
import type { List, ListId } from "#domain/list.ts";
import { collect } from "#domain/paging.ts";
import type { SuppressionKind } from "#domain/subscriber/subscriber.ts";
import { ImportBatcher } from "#transfer/import/batcher.ts";
import type { Rejections } from "#transfer/import/rejections.ts";
import { type Retries, retryingStore } from "#transfer/import/retrying-store.ts";
import type { HeaderOptions } from "#transfer/table/column-mapping.ts";
import { subscriberImporter, suppressionImporter } from "#transfer/table/importers.ts";
import {
  readTable,
  type TableEvents,
  type TableImporter,
  type TableOptions,
  type TableReading,
} from "#transfer/table/read-table.ts";
import type { TableSource, Target } from "#transfer/table/source.ts";
import { audited, type InAccount, type Performing } from "../kit/action.ts";
import { NotFound } from "../kit/errors.ts";

interface ImportTable extends InAccount, TableOptions {
  readonly source: TableSource;
  readonly fileName: string;
  readonly isDryRun: boolean;
  readonly rejections: Rejections;
  readonly reading: TableReading;
  readonly events: TableEvents;
  /** For a database that does not respond. */
  readonly retries: Retries;
}
interface ImportedTable {
  /** null in a dry run. */
  readonly batch: ImportId | null;
  readonly counts: ImportCounts;
}

async function importTable(
  { store, actor, audit, clock }: Performing,
  { source, fileName, isDryRun, rejections, reading, events, retries, ...options }: ImportTable,
  target: Target,
  workOf: (batcher: ImportBatcher) => TableImporter,
): Promise<ImportedTable> {
  const startedBy = actorName(actor.origin) ?? "";
  const batcher = new ImportBatcher(retryingStore(store, retries), target, rejections, {
    source: { fileName, startedBy, startedKind: actor.origin.kind, audit },
    isDryRun,
    clock,
  });
  const { separator, encoding, sheet = null, dates } = options;
  const state = { events, rejections, reading, doneRows: 0 };
  await readTable(source, { separator, encoding, sheet, dates }, state, workOf(batcher));
  const { batch, counts } = batcher;
  return { batch, counts };
}

interface ImportSubscribers extends ImportTable, Omit<HeaderOptions, "fields"> {
  readonly list: ListId;
  /** Whether to replace values that were not set by an import. */
  readonly overwrite: boolean;
  /** Whether a value that is not valid rejects its row. */
  readonly isStrict: boolean;
}

/** Throws a TableProblem if the table cannot be imported as it is. */
export const importSubscribers = audited(
  "import.subscribers",
  "editor",
  async (admin, asked: ImportSubscribers): Promise<ImportedTable & { readonly list: List }> => {
    const { store, audit } = admin;
    const { account, list: id, overwrite, map, ignoresUnknown, isStrict, hasHeader, retries } = asked;
    const { owner, lists, fields } = await retries.run(async () => ({
      owner: await store.accounts.byId({ id: account }),
      lists: await collect(store.lists.all.pages({ account })),
      fields: await collect(store.fields.all.pages({ account })),
    }));
    const list = lists.find((one) => one.id === id);
    if (list === undefined) throw new NotFound("list", id);
    const [country, fieldLimit] = [owner?.country ?? null, owner?.limitFields ?? null];
    const target = { account, list: id, overwrite, now: audit.at };
    const imported = await importTable(admin, asked, target, (batcher) =>
      subscriberImporter(batcher, {
        ...{ fields, map, ignoresUnknown, isStrict, hasHeader },
        ...{ country, fieldLimit, now: audit.at },
      }),
    );
    return { ...imported, list };
  },
);

interface ImportSuppressions extends ImportTable {
  /** The kind of the rows that name none. */
  readonly as: SuppressionKind | null;
}

/** Throws a TableProblem if the table cannot be imported as it is. */
export const importSuppressions = audited(
  "import.suppressions",
  "editor",
  async (admin, asked: ImportSuppressions): Promise<ImportedTable> => {
    const { at: now } = admin.audit;
    const target = { account: asked.account, list: null, overwrite: false, now };
    return importTable(admin, asked, target, (batcher) => suppressionImporter(batcher, asked.as, now));
  },
);
