/** The counts and file names of imports. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import { ERASED_FILE_NAME, namesAddress } from "../../domain/erasure.ts";
import type { ImportCounts } from "../../domain/import-batch.ts";
import type { ImportId } from "../../domain/origin.ts";
import type { Connection } from "./connection.ts";

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
