/** Subscriber lists and custom fields. */
import { decideAddField, type Field, type FieldState } from "../../domain/field.ts";
import type { List } from "../../domain/list.ts";
import { nameKey } from "../../domain/name.ts";
import { keyOf } from "../../domain/origin.ts";
import type { Listings, Writes } from "../../domain/ports.ts";
import { type Cursor, type Page, pageOf } from "../paging.ts";
import { LIST } from "../rows.ts";
import { STEP } from "../step.ts";
import { COUNTED } from "../who-counts.ts";
import type { Connection } from "./sessions/connection.ts";

export const lists = async (
  db: Connection,
  { account }: Listings["lists"]["args"],
  after: Cursor | null,
  size: number,
): Promise<Page<List, Cursor>> =>
  pageOf(
    await db.all<List>(
      `SELECT ${LIST} FROM list WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
      account,
      after?.[1] ?? 0,
      size,
    ),
    size,
    (row) => [0, row.id],
  );

export async function createList(
  db: Connection,
  { account, name, at }: Writes["createList"]["args"],
): Promise<List> {
  const created = await db.get<List>(
    `INSERT INTO list (account_id, name, created_at) VALUES ($1, $2, $3) RETURNING ${LIST}`,
    account,
    name,
    at,
  );
  if (created === undefined) throw new Error("no row returned for a new list");
  return created;
}

/**
 * Ids are unique across accounts, but no index enforces it, because keys start with the account. The lock
 * therefore keeps others from creating lists or fields meanwhile. Later ids continue above the highest one;
 * the sequence never moves back.
 */
async function reserveId(db: Connection, table: "list" | "field", id: number | bigint): Promise<boolean> {
  await db.exec(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
  if ((await db.get(`SELECT 1 AS one FROM ${table} WHERE id = $1`, id)) !== undefined) return false;
  await db.run(`SELECT setval('${table}_id_seq', $1) FROM ${table}_id_seq WHERE last_value <= $1`, id);
  return true;
}

export async function adoptList(
  db: Connection,
  { account, id, name, at }: Writes["adoptList"]["args"],
): Promise<List | null> {
  if ((await db.get("SELECT 1 AS one FROM campaign_list WHERE list_id = $1 LIMIT 1", id)) !== undefined)
    return null;
  if (!(await reserveId(db, "list", id))) return null;
  const adopted = await db.get<List>(
    `INSERT INTO list (account_id, id, name, created_at) VALUES ($1, $2, $3, $4) RETURNING ${LIST}`,
    account,
    id,
    name,
    at,
  );
  return adopted ?? null;
}

export const renameList = async (
  db: Connection,
  { account, id, name }: Writes["renameList"]["args"],
): Promise<List | null> =>
  (await db.get<List>(
    `UPDATE list SET name = $3 WHERE account_id = $1 AND id = $2 RETURNING ${LIST}`,
    account,
    id,
    name,
  )) ?? null;

/** The subscribers stay. The history of each records that the list was emptied or deleted. */
export async function emptyList(
  db: Connection,
  { account, id, at, origin }: Writes["emptyList"]["args"],
): Promise<number> {
  const [found] = await db.all<{ ended: number }>(
    `WITH members AS (
       SELECT subscriber_id FROM membership WHERE account_id = $1 AND list_id = $2 ORDER BY subscriber_id LIMIT ${STEP}
     ), ended AS (
       DELETE FROM membership AS m USING members AS n WHERE m.account_id = $1 AND m.list_id = $2 AND m.subscriber_id = n.subscriber_id RETURNING m.subscriber_id, m.status
     ), told AS (
       INSERT INTO history (account_id, subscriber_id, at, kind, origin, key_id, list_id, detail)
       SELECT $1, e.subscriber_id, $3, 'left', $4, $5, $2, 'the list "' || l.name || '" was deleted'
       FROM ended AS e CROSS JOIN list AS l WHERE l.account_id = $1 AND l.id = $2
     ), counted AS (
       UPDATE list SET member_count = member_count - (
         SELECT count(*) FROM ended AS m JOIN subscriber AS s ON s.account_id = $1 AND s.id = m.subscriber_id WHERE ${COUNTED}
       ) WHERE account_id = $1 AND id = $2
     )
     SELECT count(*) AS ended FROM ended`,
    account,
    id,
    at,
    origin.kind,
    keyOf(origin),
  );
  return found?.ended ?? 0;
}

/** Removes the remaining members first. */
export async function deleteList(
  db: Connection,
  command: Writes["deleteList"]["args"],
): Promise<List | null> {
  const { account, id } = command;
  const found = await db.get<List>(`SELECT ${LIST} FROM list WHERE account_id = $1 AND id = $2`, account, id);
  if (found === undefined) return null;
  while ((await emptyList(db, command)) > 0);
  await db.run("DELETE FROM list WHERE account_id = $1 AND id = $2", account, id);
  return found;
}

export async function fields(
  db: Connection,
  { account }: Listings["fields"]["args"],
  after: Cursor | null,
  size: number,
): Promise<Page<Field, Cursor>> {
  const [time, id] = after ?? [Number.MIN_SAFE_INTEGER, 0];
  const rows = await db.all<Omit<Field, "id"> & { readonly id: string }>(
    'SELECT f.id::text AS id, name, data_type AS type, is_private AS "isPrivate", created_at AS "createdAt" FROM field AS f WHERE account_id = $1 AND (created_at, f.id) > ($2, $3) ORDER BY created_at, f.id LIMIT $4',
    account,
    time,
    id,
    size,
  );
  const found = rows.map((row) => ({ ...row, id: BigInt(row.id) }));
  return pageOf(found, size, (row) => [row.createdAt, row.id]);
}

export async function createField(
  db: Connection,
  { account, id, field, at }: Writes["createField"]["args"],
): Promise<Writes["createField"]["result"]> {
  const key = nameKey(field.name);
  const [state] = await db.all<FieldState>(
    'SELECT count(*) FILTER (WHERE f.name_key = $2) > 0 AS exists, count(f.id) AS count, a.limit_fields AS "limit" FROM account AS a LEFT JOIN field AS f ON f.account_id = a.id WHERE a.id = $1 GROUP BY a.id',
    account,
    key,
  );
  if (state === undefined) throw new Error(`no account ${account}`);
  const { outcome } = decideAddField(field.name, state);
  if (outcome !== "Done") return outcome;
  if (id !== null && !(await reserveId(db, "field", id))) return "IdTaken";
  const [made] = await db.all<{ readonly id: string }>(
    "INSERT INTO field (account_id, id, name, name_key, data_type, is_private, created_at) VALUES ($1, coalesce($2, nextval('field_id_seq')), $3, $4, $5, $6, $7) RETURNING id::text AS id",
    account,
    id,
    field.name,
    key,
    field.type,
    field.isPrivate,
    at,
  );
  if (made === undefined) throw new Error("no row returned for a new field");
  return { ...field, id: BigInt(made.id), createdAt: at };
}
