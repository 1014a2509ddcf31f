/** Recognises an erased address. */
import type { AccountId } from "../../../domain/account.ts";
import type { Address } from "../../../domain/address.ts";
import { erasureHash } from "../../../domain/erasure.ts";
import type { Suppressions } from "../../../domain/subscriber.ts";
import { SUPPRESSIONS, suppressionRow } from "../../rows.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

const ERASED = statement(
  suppressionRow,
  `SELECT ${SUPPRESSIONS} FROM erased WHERE account_id = ? AND hash = ?`,
);

/** What is stored for the address under the account's erasure key. */
export const erasedBy = (
  db: Connection,
  account: AccountId,
  key: Uint8Array,
  address: Pick<Address, "key">,
): Suppressions | null => db.get(ERASED, account, erasureHash(key, address)) ?? null;
