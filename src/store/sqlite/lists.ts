/** Subscriber lists and custom fields. */
import {
  decideAddField,
  type Field,
  type FieldId,
  type FieldState,
  type NewField,
} from "../../domain/field.ts";
import type { List } from "../../domain/list.ts";
import { nameKey } from "../../domain/name.ts";
import type { Listings, Writes } from "../../domain/ports.ts";
import { type Cursor, type Page, pageOf } from "../paging.ts";
import { LIST } from "../rows.ts";
import type { Connection } from "./connection.ts";
import { afterCursor } from "./keyset.ts";

export const lists = (
  db: Connection,
  { account }: Listings["lists"]["args"],
  after: Cursor | null,
  size: number,
): Page<List, Cursor> =>
  pageOf(
    db.all<List>(
      `SELECT ${LIST} FROM list WHERE account_id = ? AND id > ? ORDER BY id LIMIT ${size}`,
      account,
      after?.[1] ?? 0,
    ),
    size,
    (row) => [0, row.id],
  );

export const listOf = (db: Connection, account: number, id: number): List | null =>
  db.get<List>(`SELECT ${LIST} FROM list WHERE account_id = ? AND id = ?`, account, id) ?? null;

export function createList(db: Connection, { account, name, at }: Writes["createList"]["args"]): List {
  const id = db.insert("INSERT INTO list (account_id, name, created_at) VALUES (?, ?, ?)", account, name, at);
  return { id, name, createdAt: at, members: 0 };
}

/** Later ids continue above the highest one ever assigned: SQLite remembers it. */
export function adoptList(
  db: Connection,
  { account, id, name, at }: Writes["adoptList"]["args"],
): List | null {
  const isTaken =
    db.get("SELECT 1 FROM list WHERE id = ?", id) !== undefined ||
    db.get("SELECT 1 FROM campaign_list WHERE list_id = ? LIMIT 1", id) !== undefined;
  if (isTaken) return null;
  db.run("INSERT INTO list (id, account_id, name, created_at) VALUES (?, ?, ?, ?)", id, account, name, at);
  return { id, name, createdAt: at, members: 0 };
}

export function renameList(db: Connection, { account, id, name }: Writes["renameList"]["args"]): List | null {
  db.run("UPDATE list SET name = ? WHERE id = ? AND account_id = ?", name, id, account);
  return listOf(db, account, id);
}

interface FieldRow extends Omit<Field, "createdAt" | "isPrivate"> {
  readonly isPrivate: bigint;
  readonly createdAt: bigint;
}
const FIELDS = afterCursor(
  (condition) =>
    `SELECT id, name, data_type AS type, is_private AS isPrivate, created_at AS createdAt FROM field WHERE account_id = ?1 AND ${condition}`,
  { time: ["created_at", "?2"], id: ["id", "?3"], comes: "later" },
);
export function fields(
  db: Connection,
  { account }: Listings["fields"]["args"],
  after: Cursor | null,
  size: number,
): Page<Field, Cursor> {
  const [time, id] = after ?? [Number.MIN_SAFE_INTEGER, 0];
  const rows = db.allExact<FieldRow>(`${FIELDS} ORDER BY createdAt, id LIMIT ${size}`, account, time, id);
  const found = rows.map((row) => ({
    ...row,
    isPrivate: row.isPrivate === 1n,
    createdAt: Number(row.createdAt),
  }));
  return pageOf(found, size, (row) => [row.createdAt, row.id]);
}

export const fieldState = (db: Connection, account: number, key: string): FieldState => ({
  exists: db.get("SELECT 1 FROM field WHERE account_id = ? AND name_key = ?", account, key) !== undefined,
  count: db.get<{ n: number }>("SELECT count(*) AS n FROM field WHERE account_id = ?", account)?.n ?? 0,
  limit:
    db.get<{ n: number | null }>("SELECT limit_fields AS n FROM account WHERE id = ?", account)?.n ?? null,
});

/** An id of null means the next free one. */
export function insertField(
  db: Connection,
  account: number,
  { id, name, type, isPrivate, at }: NewField & { readonly id: FieldId | null; readonly at: number },
): Field {
  const [made] = db.allExact<{ id: FieldId }>(
    "INSERT INTO field (id, account_id, name, name_key, data_type, is_private, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
    id,
    account,
    name,
    nameKey(name),
    type,
    isPrivate ? 1 : 0,
    at,
  );
  if (made === undefined) throw new Error("no row returned for a new field");
  return { id: made.id, name, type, isPrivate, createdAt: at };
}

export function createField(
  db: Connection,
  { account, id, field, at }: Writes["createField"]["args"],
): Writes["createField"]["result"] {
  const { outcome } = decideAddField(field.name, fieldState(db, account, nameKey(field.name)));
  if (outcome !== "Done") return outcome;
  if (id !== null && db.get("SELECT 1 FROM field WHERE id = ?", id) !== undefined) return "IdTaken";
  return insertField(db, account, { ...field, id, at });
}
