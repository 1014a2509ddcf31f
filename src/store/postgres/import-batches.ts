/** Import batches: recorded when they begin, counted while they run. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import { ERASED_FILE_NAME, namesAddress } from "../../domain/erasure.ts";
import type { ImportBatch } from "../../domain/import-batch.ts";
import type { ImportId } from "../../domain/origin.ts";
import type { Args } from "../methods.ts";
import { IMPORT_BATCH, type ImportBatchRow, toImportBatch } from "../rows.ts";
import type { Connection } from "./sessions/connection.ts";

export async function startImport(db: Connection, batch: Args<"imports.start">): Promise<number> {
  const row = await db.get<{ id: number }>(
    "INSERT INTO import_batch (account_id, list_id, file_name, started_by, started_at, counts) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
    batch.account,
    batch.list,
    batch.fileName,
    batch.startedBy,
    batch.startedAt,
    JSON.stringify(batch.counts),
  );
  if (row === undefined) throw new Error("an import batch got no id");
  return row.id;
}

export async function finishImport(
  db: Connection,
  { account, id, counts, finishedAt }: Args<"imports.finish">,
): Promise<null> {
  await db.run(
    "UPDATE import_batch SET counts = $3, finished_at = $4 WHERE account_id = $1 AND id = $2",
    account,
    id,
    JSON.stringify(counts),
    finishedAt,
  );
  return null;
}

export async function importBatches(
  db: Connection,
  { account, limit }: Args<"imports.newest">,
): Promise<readonly ImportBatch[]> {
  const rows = await db.all<ImportBatchRow>(
    `SELECT ${IMPORT_BATCH} FROM import_batch WHERE account_id = $1 ORDER BY id DESC LIMIT $2`,
    account,
    limit,
  );
  return rows.map(toImportBatch);
}

export async function importBatch(
  db: Connection,
  { account, id }: Args<"imports.byId">,
): Promise<ImportBatch | null> {
  const row = await db.get<ImportBatchRow>(
    `SELECT ${IMPORT_BATCH} FROM import_batch WHERE account_id = $1 AND id = $2`,
    account,
    id,
  );
  return row === undefined ? null : toImportBatch(row);
}

/** Replaces the file names that contain the address. */
export async function eraseFileNames(db: Connection, account: AccountId, address: Address): Promise<void> {
  const rows = await db.all<{ id: ImportId; fileName: string }>(
    'SELECT id, file_name AS "fileName" FROM import_batch WHERE account_id = $1',
    account,
  );
  const found = rows.filter(({ fileName }) => namesAddress(fileName, address)).map(({ id }) => id);
  if (found.length > 0)
    await db.run(
      "UPDATE import_batch SET file_name = $2 WHERE account_id = $1 AND id = ANY ($3::bigint[])",
      account,
      ERASED_FILE_NAME,
      found,
    );
}
