/** The file names of imports. */
import type { AccountId } from "../../domain/account.ts";
import type { Address } from "../../domain/address.ts";
import { ERASED_FILE_NAME, namesAddress } from "../../domain/erasure.ts";
import type { ImportId } from "../../domain/origin.ts";
import type { Connection } from "./sessions/connection.ts";

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
