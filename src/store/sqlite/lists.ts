/** Subscriber lists and custom fields: what an account defines. */
import { decideAddField, type Field } from "../../domain/field.ts";
import type { List } from "../../domain/list.ts";
import { nameKey } from "../../domain/name.ts";
import type { Reads, Writes } from "../../domain/ports.ts";
import type { Connection } from "./connection.ts";

const LIST = "id, name, created_at AS createdAt, member_count AS members";

export const lists = (db: Connection, { account }: Reads["lists"]["args"]): readonly List[] =>
  db.all<List>(`SELECT ${LIST} FROM list WHERE account_id = ? ORDER BY id`, account);

const list = (db: Connection, account: number, id: number): List | null =>
  db.get<List>(`SELECT ${LIST} FROM list WHERE account_id = ? AND id = ?`, account, id) ?? null;

export function createList(db: Connection, { account, name, at }: Writes["createList"]["args"]): List {
  const id = db.insert("INSERT INTO list (account_id, name, created_at) VALUES (?, ?, ?)", account, name, at);
  return { id, name, createdAt: at, members: 0 };
}

export function renameList(db: Connection, { account, id, name }: Writes["renameList"]["args"]): List | null {
  db.run("UPDATE list SET name = ? WHERE id = ? AND account_id = ?", name, id, account);
  return list(db, account, id);
}

/** The people stay known; each one's history says that the list went away under them. */
export function deleteList(
  db: Connection,
  { account, id, at, origin }: Writes["deleteList"]["args"],
): List | null {
  const found = list(db, account, id);
  if (found === null) return null;
  db.run(
    "INSERT INTO history (account_id, subscriber_id, at, kind, origin, list_id, detail) SELECT account_id, subscriber_id, ?, 'left', ?, list_id, ? FROM membership WHERE list_id = ?",
    at,
    origin.kind,
    `the list "${found.name}" was deleted`,
    id,
  );
  db.run("DELETE FROM membership WHERE list_id = ?", id);
  db.run("DELETE FROM list WHERE id = ?", id);
  return found;
}

interface FieldRow extends Omit<Field, "createdAt" | "isPrivate"> {
  readonly isPrivate: bigint;
  readonly createdAt: bigint;
}
export const fields = (db: Connection, { account }: Reads["fields"]["args"]): readonly Field[] =>
  db
    .allExact<FieldRow>(
      "SELECT id, name, data_type AS type, is_private AS isPrivate, created_at AS createdAt FROM field WHERE account_id = ? ORDER BY created_at, id",
      account,
    )
    .map((row) => ({ ...row, isPrivate: row.isPrivate === 1n, createdAt: Number(row.createdAt) }));

export function addField(
  db: Connection,
  { account, at, field }: Writes["addField"]["args"],
): Writes["addField"]["result"] {
  const key = field === null ? "" : nameKey(field.name);
  const decision = decideAddField(field?.name ?? null, {
    exists: db.get("SELECT 1 FROM field WHERE account_id = ? AND name_key = ?", account, key) !== undefined,
    count: db.get<{ n: number }>("SELECT count(*) AS n FROM field WHERE account_id = ?", account)?.n ?? 0,
    limit:
      db.get<{ n: number | null }>("SELECT limit_fields AS n FROM account WHERE id = ?", account)?.n ?? null,
  });
  for (const { name } of decision.changes)
    if (field !== null)
      db.run(
        "INSERT INTO field (account_id, name, name_key, data_type, is_private, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        account,
        name,
        key,
        field.type,
        field.isPrivate ? 1 : 0,
        at,
      );
  return decision.outcome;
}
