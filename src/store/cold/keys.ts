/** API keys. */
import type { ApiKey } from "#domain/access/key.ts";
import type { Keys, NewKey } from "#domain/ports/access/keys.ts";
import { changeable } from "#domain/version.ts";
import { key } from "../tables/entities.ts";
import { auditing } from "./kit/auditing.ts";
import type { Db } from "./kit/db.ts";
import { command, feature, read } from "./kit/feature.ts";
import { touchLastUsed } from "./kit/last-used.ts";
import { allOf, byIdOf, byName, someOf, updateOf } from "./kit/of-account.ts";
import { bytes, integer, nullable, statement, text } from "./kit/statement.ts";

const byHash = statement(key.row, `SELECT ${key.columns} FROM api_key WHERE hash = $1`);
const labels = statement(
  { id: integer, account: integer, label: text, hint: text },
  ({ isIn }) => `SELECT id, account_id AS account, label, hint FROM api_key WHERE ${isIn("id", "$1")}`,
);
const recent = statement(
  { hash: bytes, at: integer, network: nullable(text) },
  `SELECT hash, coalesce(last_used_at, created_at) AS at, last_used_from AS network
   FROM api_key
   WHERE revoked_at IS NULL AND coalesce(last_used_at, created_at) >= $1
   ORDER BY at DESC
   LIMIT $2`,
);
const insert = statement(
  key.row,
  `INSERT INTO api_key (account_id, hash, hint, length, created_at, ${key.changeable})
   VALUES ($1, $2, $3, $4, $5, ${key.placeholders(6)})
   ON CONFLICT (hash) DO NOTHING
   RETURNING ${key.columns}`,
);
const byId = byIdOf(key);
const update = updateOf(key);
const revoke = statement(
  key.row,
  `UPDATE api_key SET revoked_at = coalesce(revoked_at, $3)
   WHERE account_id = $1 AND id = $2
   RETURNING ${key.columns}`,
);

/** Nothing of the key itself, not even its first characters. */
const audited = auditing<ApiKey>("key", changeable.key);

/** null: the key already exists. */
export async function insertKey(db: Db, given: NewKey): Promise<ApiKey | null> {
  const { account, hash, hint, length, at } = given;
  const created = await db.get(insert, account, hash, hint, length, at, ...key.parameters(given));
  if (created !== null) await audited(db, given, created.id, null, created);
  return created;
}

export const keys = feature<Keys>({
  all: allOf(key),
  named: byName(key, { order: "id DESC", names: ["label", "hint"] }),
  some: someOf(key),
  byId: read((db, { account, id }) => db.get(byId, account, id)),
  labels: read((db, { ids }) => db.all(labels, ids)),
  byHash: read((db, { hash }) => db.get(byHash, hash), { isLookup: true }),
  recent: read((db, { since, limit }) => db.all(recent, since, limit), { isOfService: true }),
  create: command(insertKey),
  set: command(async (db, { account, id, audit, ...changes }) => {
    const before = await db.get(byId, account, id);
    if (before === null) return null;
    const changed = await db.one(update, account, id, ...key.parameters(before, changes));
    await audited(db, { account, audit }, id, before, changed);
    return changed;
  }),
  revoke: command(async (db, { account, id, at, audit }) => {
    const before = await db.get(byId, account, id);
    const revoked = await db.get(revoke, account, id, at);
    if (revoked !== null) await audited(db, { account, audit }, id, before, revoked);
    return revoked;
  }),
  touch: touchLastUsed("api_key", "last_used_from"),
});
