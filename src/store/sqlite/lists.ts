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
import { keyOf } from "../../domain/origin.ts";
import type { Listings, Writes } from "../../domain/ports.ts";
import { type Cursor, type Page, pageOf } from "../paging.ts";
import { LIST } from "../rows.ts";
import { STEP } from "../step.ts";
import { COUNTED } from "../who-counts.ts";
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

const list = (db: Connection, account: number, id: number): List | null =>
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
  return list(db, account, id);
}

/** The subscribers stay. The history of each records that the list was emptied or deleted. */
export function emptyList(db: Connection, { account, id, at, origin }: Writes["emptyList"]["args"]): number {
  const found = list(db, account, id);
  if (found === null) return 0;
  const members = db.all<{ person: number; counts: number }>(
    `SELECT m.subscriber_id AS person, ${COUNTED} AS counts FROM membership AS m JOIN subscriber AS s ON s.id = m.subscriber_id WHERE m.list_id = ? ORDER BY m.subscriber_id LIMIT ${STEP}`,
    id,
  );
  const last = members.at(-1)?.person ?? 0;
  db.run(
    "INSERT INTO history (account_id, subscriber_id, at, kind, origin, key_id, list_id, detail) SELECT account_id, subscriber_id, ?, 'left', ?, ?, list_id, ? FROM membership WHERE list_id = ? AND subscriber_id <= ?",
    at,
    origin.kind,
    keyOf(origin),
    `the list "${found.name}" was deleted`,
    id,
    last,
  );
  db.run("DELETE FROM membership WHERE list_id = ? AND subscriber_id <= ?", id, last);
  const counted = members.filter(({ counts }) => counts === 1).length;
  db.run("UPDATE list SET member_count = member_count - ? WHERE id = ?", counted, id);
  return members.length;
}

/** Removes the remaining members first. */
export function deleteList(db: Connection, command: Writes["deleteList"]["args"]): List | null {
  const found = list(db, command.account, command.id);
  if (found === null) return null;
  while (emptyList(db, command) > 0);
  db.run("DELETE FROM list WHERE id = ? AND account_id = ?", command.id, command.account);
  return found;
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
