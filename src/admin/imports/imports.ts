/** Imports of an account: when, by whom, and what came of them. */
import { originOfActor } from "#domain/access/audit.ts";
import type { ImportId, Origin } from "#domain/access/origin.ts";
import type { ImportBatch } from "#domain/import/batch.ts";
import type { Upload, UploadId } from "#domain/import/upload.ts";
import type { Page } from "#domain/ports/listing.ts";
import { readUpload } from "#transfer/import/read-upload.ts";
import { actorNames, type NamedActor, namedActor } from "../actor-names.ts";
import { action, type InAccount, type Performing } from "../kit/action.ts";
import { NotFound, NotPossible } from "../kit/errors.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";

export interface RecordedImport extends ImportBatch {
  readonly actor: NamedActor;
  /** The upload with the rows that it rejected; null: they are not stored. */
  readonly rejectedUpload: UploadId | null;
}

const originOf = ({ startedKind: kind, startedBy }: ImportBatch): Origin =>
  originOfActor({ kind, name: startedBy === "" ? null : startedBy }) ?? { kind: "operator" };

async function recorded(
  { store }: Performing,
  { account }: InAccount,
  batches: readonly ImportBatch[],
): Promise<readonly RecordedImport[]> {
  const [names, uploads] = await Promise.all([
    actorNames(store, account, batches.map(originOf)),
    store.uploads.all({ account }),
  ]);
  return batches.map((batch) => ({
    ...batch,
    actor: namedActor(originOf(batch), names),
    rejectedUpload: uploads.find(({ rejectedBy }) => rejectedBy === batch.id)?.id ?? null,
  }));
}

/** The newest first. */
export const listImports = action(
  "import.list",
  "viewer",
  "nothing",
  async (admin, { account, ...inputs }: InAccount & PageInputs): Promise<Page<RecordedImport>> => {
    const page = await pageOf(admin.store.imports.all, { account }, inputs);
    return { ...page, rows: await recorded(admin, { account }, page.rows) };
  },
);

interface OneImport extends InAccount {
  readonly id: ImportId;
}
async function existing({ store }: Performing, { account, id }: OneImport): Promise<ImportBatch> {
  const batch = await store.imports.byId({ account, id });
  if (batch === null) throw new NotFound("import", id);
  return batch;
}

export const findImport = action(
  "import.show",
  "viewer",
  "nothing",
  async (admin, one: OneImport): Promise<RecordedImport> => {
    const [found] = await recorded(admin, one, [await existing(admin, one)]);
    if (found === undefined) throw new NotFound("import", one.id);
    return found;
  },
);

/**
 * The rows that an import has rejected, with the reasons: so far, if it is running. They are an upload that
 * the import has written, and are deleted like one.
 */
export const readRejectedRows = action(
  "import.rejectedRows",
  "editor",
  "nothing",
  async (
    admin,
    one: OneImport,
  ): Promise<{ readonly upload: Upload; readonly bytes: AsyncIterable<Buffer> }> => {
    const { store } = admin;
    const { account, id } = one;
    const { counts } = await existing(admin, one);
    const upload = (await store.uploads.all({ account })).find(({ rejectedBy }) => rejectedBy === id);
    if (upload === undefined)
      throw new NotPossible(
        counts.rejected === 0
          ? `import ${id} has rejected no rows`
          : `the rows that import ${id} rejected are not stored: they are deleted after a day, and when a subscriber is erased; an import of a local file writes them to a file instead`,
      );
    const { size } = upload;
    return { upload, bytes: readUpload(store.uploads, { account, id: upload.id }, { size }) };
  },
);
