/** Subscriber lists and custom fields: what an account defines. */
import { decideAddField, type Field } from "../../domain/field.ts";
import type { List } from "../../domain/list.ts";
import { nameKey } from "../../domain/name.ts";
import type { Reads, Writes } from "../../domain/ports.ts";
import type { Connection } from "./connection.ts";
import { keyOf } from "./subscriber-changes.ts";
import { of, type WorkingSet } from "./working-set.ts";

const LIST = 'id, name, created_at AS "createdAt", member_count AS members';

export const lists = (db: Connection, { account }: Reads["lists"]["args"]): Promise<readonly List[]> =>
  db.all<List>(`SELECT ${LIST} FROM list WHERE account_id = $1 ORDER BY id`, account);

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
  if (created === undefined) throw new Error("a list vanished while it was made");
  return created;
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

/** The people stay known; each one's history says that the list went away under them. */
export async function deleteList(
  db: Connection,
  { account, id, at, origin }: Writes["deleteList"]["args"],
): Promise<List | null> {
  const found = await db.get<List>(
    `DELETE FROM list WHERE account_id = $1 AND id = $2 RETURNING ${LIST}`,
    account,
    id,
  );
  if (found === undefined) return null;
  await db.run(
    "WITH ended AS (DELETE FROM membership WHERE account_id = $1 AND list_id = $2 RETURNING subscriber_id) INSERT INTO history (account_id, subscriber_id, at, kind, origin, key_id, list_id, detail) SELECT $1, subscriber_id, $3, 'left', $4, $5, $2, $6 FROM ended",
    account,
    id,
    at,
    origin.kind,
    keyOf(origin),
    `the list "${found.name}" was deleted`,
  );
  return found;
}

export async function fields(
  db: Connection,
  { account }: Reads["fields"]["args"],
): Promise<readonly Field[]> {
  const rows = await db.all<Omit<Field, "id"> & { readonly id: string }>(
    'SELECT id::text AS id, name, data_type AS type, is_private AS "isPrivate", created_at AS "createdAt" FROM field AS f WHERE account_id = $1 ORDER BY created_at, f.id',
    account,
  );
  return rows.map((row) => ({ ...row, id: BigInt(row.id) }));
}

export function addField(
  set: WorkingSet,
  { account, at, field }: Writes["addField"]["args"],
): Writes["addField"]["result"] {
  const count = set.fieldCounts.get(account) ?? 0;
  const key = field === null ? "" : nameKey(field.name);
  const decision = decideAddField(field?.name ?? null, {
    exists: set.fieldNames.has(of(account, key)),
    count,
    limit: set.account(account).limitFields,
  });
  for (const { name } of decision.changes) {
    if (field === null) throw new Error("a field without a name");
    set.newFields.push({ ...field, account, name, key, at });
    set.fieldNames.add(of(account, key));
    set.fieldCounts.set(account, count + 1);
  }
  return decision.outcome;
}
