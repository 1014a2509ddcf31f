/** Custom fields, as callers add them. */
import type { AccountId } from "../../../domain/account.ts";
import type { FieldState, NewField } from "../../../domain/field.ts";
import { nameKey } from "../../../domain/name.ts";
import type { Connection } from "../connection.ts";

export const fieldState = (db: Connection, account: AccountId, key: string): FieldState => ({
  exists: db.get("SELECT 1 FROM field WHERE account_id = ? AND name_key = ?", account, key) !== undefined,
  count: db.get<{ n: number }>("SELECT count(*) AS n FROM field WHERE account_id = ?", account)?.n ?? 0,
  limit:
    db.get<{ n: number | null }>("SELECT limit_fields AS n FROM account WHERE id = ?", account)?.n ?? null,
});

export function insertField(
  db: Connection,
  account: AccountId,
  { name, type, isPrivate }: NewField,
  at: number,
): void {
  db.run(
    "INSERT INTO field (account_id, name, name_key, data_type, is_private, created_at) VALUES (?, ?, ?, ?, ?, ?)",
    account,
    name,
    nameKey(name),
    type,
    isPrivate ? 1 : 0,
    at,
  );
}
