/** Custom fields, as callers add them. */
import type { AccountId } from "#domain/account.ts";
import type { FieldState, NewField } from "#domain/field/field.ts";
import { nameKey } from "#domain/text/name.ts";
import { sqliteDialect } from "../../cold/kit/dialect.ts";
import { integer, nullable } from "../../cold/kit/statement.ts";
import type { Connection } from "../connection.ts";
import { change, statement } from "../statement.ts";

const COUNT = statement(
  { count: integer },
  "SELECT count(*) AS count FROM field WHERE account_id = ? AND is_deleting = 0",
);
const LIMIT = statement(
  { limit: nullable(integer) },
  'SELECT limit_fields AS "limit" FROM account WHERE id = ?',
);

const BY_NAME = statement(
  { one: integer },
  "SELECT 1 AS one FROM field WHERE account_id = ? AND name_key = ?",
);
const INSERT = change(
  `INSERT INTO field (id, account_id, name, name_key, data_type, is_private, created_at)
   VALUES (${sqliteDialect.nextFieldId()}, ?, ?, ?, ?, ?, ?)`,
);

export const fieldState = (db: Connection, account: AccountId, key: string): FieldState => ({
  exists: db.get(BY_NAME, account, key) !== undefined,
  count: db.get(COUNT, account)?.count ?? 0,
  limit: db.get(LIMIT, account)?.limit ?? null,
});

export function insertField(
  db: Connection,
  account: AccountId,
  { name, type, isPrivate }: NewField,
  at: number,
): void {
  db.run(INSERT, account, name, nameKey(name), type, isPrivate ? 1 : 0, at);
}
