/** API keys. */
import { type ApiKey, scopes } from "#domain/access/key.ts";
import type { Keys, NewKey } from "#domain/ports/access/keys.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import { changeable } from "#domain/version.ts";
import { auditing } from "./kit/auditing.ts";
import { byName } from "./kit/by-name.ts";
import type { Db } from "./kit/db.ts";
import { command, feature, read } from "./kit/feature.ts";
import { touchLastUsed } from "./kit/last-used.ts";
import { listing } from "./kit/listing.ts";
import { someOf } from "./kit/some-of.ts";
import { bytes, integer, nullable, oneOf, statement, text } from "./kit/statement.ts";

const key = {
  id: integer,
  account: integer,
  hint: text,
  length: nullable(integer),
  label: text,
  scope: oneOf(scopes),
  createdAt: integer,
  expiresAt: nullable(integer),
  revokedAt: nullable(integer),
  lastUsedAt: nullable(integer),
};
const KEY = `
  id, account_id AS account, hint, length, label, scope,
  created_at AS "createdAt", expires_at AS "expiresAt", revoked_at AS "revokedAt", last_used_at AS "lastUsedAt"`;

const byHash = statement(key, `SELECT ${KEY} FROM api_key WHERE hash = $1`);
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
  key,
  `INSERT INTO api_key (account_id, hash, hint, length, label, scope, expires_at, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (hash) DO NOTHING
   RETURNING ${KEY}`,
);
const byId = statement(key, `SELECT ${KEY} FROM api_key WHERE account_id = $1 AND id = $2`);
const revoke = statement(
  key,
  `UPDATE api_key SET revoked_at = coalesce(revoked_at, $3)
   WHERE account_id = $1 AND id = $2
   RETURNING ${KEY}`,
);
/** Each setting has a parameter that says whether it is given, and one for its value. */
const set = statement(
  key,
  `UPDATE api_key SET
     label = CASE WHEN $3 THEN $4 ELSE label END,
     expires_at = CASE WHEN $5 THEN $6 ELSE expires_at END
   WHERE account_id = $1 AND id = $2
   RETURNING ${KEY}`,
);
const touch = touchLastUsed("api_key", "last_used_from");

/** Nothing of the key itself, not even its first characters. */
const audited = auditing<ApiKey>("key", changeable.key);

/** null: the key already exists. */
export async function insertKey(db: Db, given: NewKey): Promise<ApiKey | null> {
  const { account, hash, hint, length, label, scope, expiresAt, at } = given;
  const created = await db.get(insert, account, hash, hint, length, label, scope, expiresAt, at);
  if (created !== null) await audited(db, given, created.id, null, created);
  return created;
}

export const keys = feature<Keys>({
  all: listing({
    row: key,
    select: (condition) => `SELECT ${KEY} FROM api_key WHERE account_id = $1 AND ${condition}`,
    by: [["id", "id"]],
    parameters: ({ account }: OfAccount) => [account],
  }),
  named: byName({
    row: key,
    columns: KEY,
    from: "api_key WHERE account_id = $1",
    order: "id DESC",
    names: ["label", "hint"],
  }),
  some: someOf({ row: key, columns: KEY, from: "api_key WHERE account_id = $1" }),
  byId: read((db, { account, id }) => db.get(byId, account, id)),
  labels: read((db, { ids }) => db.all(labels, ids)),
  byHash: read((db, { hash }) => db.get(byHash, hash), { isLookup: true }),
  recent: read((db, { since, limit }) => db.all(recent, since, limit)),
  create: command(insertKey),
  set: command(async (db, { account, id, label, expiresAt, audit }) => {
    const before = await db.get(byId, account, id);
    const isGiven = [label !== undefined, expiresAt !== undefined] as const;
    const changed = await db.get(set, account, id, isGiven[0], label ?? "", isGiven[1], expiresAt ?? null);
    if (changed !== null) await audited(db, { account, audit }, id, before, changed);
    return changed;
  }),
  revoke: command(async (db, { account, id, at, audit }) => {
    const before = await db.get(byId, account, id);
    const revoked = await db.get(revoke, account, id, at);
    if (revoked !== null) await audited(db, { account, audit }, id, before, revoked);
    return revoked;
  }),
  touch: command(async (db, { uses }) => {
    await db.run(touch, JSON.stringify(uses));
    return null;
  }),
});
