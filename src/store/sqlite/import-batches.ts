/** Import batches: recorded when they begin, counted while they run. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import { ERASED_FILE_NAME, namesAddress } from "../../domain/erasure.ts";
import type { ImportBatch, ImportCounts } from "../../domain/import-batch.ts";
import type { ImportId } from "../../domain/origin.ts";
import type { Args } from "../methods.ts";
import { IMPORT_BATCH, type ImportBatchRow, toImportBatch } from "../rows.ts";
import type { Connection } from "./connection.ts";

export const startImport = (db: Connection, batch: Args<"imports.start">): number =>
  db.insert(
    "INSERT INTO import_batch (account_id, list_id, file_name, started_by, started_at, counts) VALUES (?, ?, ?, ?, ?, ?)",
    batch.account,
    batch.list,
    batch.fileName,
    batch.startedBy,
    batch.startedAt,
    JSON.stringify(batch.counts),
  );

export function finishImport(
  db: Connection,
  { account, id, counts, finishedAt }: Args<"imports.finish">,
): null {
  db.run(
    "UPDATE import_batch SET counts = ?, finished_at = ? WHERE account_id = ? AND id = ?",
    JSON.stringify(counts),
    finishedAt,
    account,
    id,
  );
  return null;
}

export function saveImportCounts(
  db: Connection,
  account: AccountId,
  id: ImportId,
  counts: ImportCounts,
): void {
  db.run(
    "UPDATE import_batch SET counts = ? WHERE account_id = ? AND id = ?",
    JSON.stringify(counts),
    account,
    id,
  );
}

export const importBatches = (
  db: Connection,
  { account, limit }: Args<"imports.newest">,
): readonly ImportBatch[] =>
  db
    .all<ImportBatchRow>(
      `SELECT ${IMPORT_BATCH} FROM import_batch WHERE account_id = ? ORDER BY id DESC LIMIT ?`,
      account,
      limit,
    )
    .map(toImportBatch);

export function importBatch(db: Connection, { account, id }: Args<"imports.byId">): ImportBatch | null {
  const row = db.get<ImportBatchRow>(
    `SELECT ${IMPORT_BATCH} FROM import_batch WHERE account_id = ? AND id = ?`,
    account,
    id,
  );
  return row === undefined ? null : toImportBatch(row);
}

/** Replaces the file names that contain the address. */
export function eraseFileNames(db: Connection, account: AccountId, address: Address): void {
  const rows = db.all<{ id: ImportId; fileName: string }>(
    "SELECT id, file_name AS fileName FROM import_batch WHERE account_id = ?",
    account,
  );
  for (const { id, fileName } of rows)
    if (namesAddress(fileName, address))
      db.run(
        "UPDATE import_batch SET file_name = ? WHERE account_id = ? AND id = ?",
        ERASED_FILE_NAME,
        account,
        id,
      );
}
