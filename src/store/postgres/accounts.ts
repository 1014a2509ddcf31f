/** Accounts and their API keys. */
import { type Account, NEW_ACCOUNT_FIELDS } from "../../domain/account.ts";
import type { ApiKey } from "../../domain/key.ts";
import type { NewKey, Reads, Writes } from "../../domain/ports.ts";
import { ACCOUNT, KEY, RECENT_KEYS } from "../rows.ts";
import type { Connection } from "./sessions/connection.ts";
import { INSTALLATION_LOCK, lockAccounts } from "./sessions/locks.ts";

export const accounts = (db: Connection): Promise<readonly Account[]> =>
  db.all<Account>(`SELECT ${ACCOUNT} FROM account ORDER BY id`);

export async function createAccount(
  db: Connection,
  { name, at }: Writes["createAccount"]["args"],
): Promise<Account> {
  await db.exec(INSTALLATION_LOCK);
  const created = await db.get<Account>(
    `INSERT INTO account (name, limit_fields, created_at) VALUES ($1, $2, $3) RETURNING ${ACCOUNT}`,
    name,
    NEW_ACCOUNT_FIELDS,
    at,
  );
  if (created === undefined) throw new Error("no row returned for a new account");
  return created;
}

export const renameAccount = async (
  db: Connection,
  { id, name }: Writes["renameAccount"]["args"],
): Promise<Account | null> =>
  (await db.get<Account>(`UPDATE account SET name = $2 WHERE id = $1 RETURNING ${ACCOUNT}`, id, name)) ??
  null;

export async function setAccount(
  db: Connection,
  { id, settings: { country, limitSubscribers, limitFields } }: Writes["setAccount"]["args"],
): Promise<Account | null> {
  await lockAccounts(db, [id]);
  const set = await db.get<Account>(
    `UPDATE account SET country = CASE WHEN $2 THEN $3 ELSE country END, limit_subscribers = CASE WHEN $4 THEN $5 ELSE limit_subscribers END, limit_fields = CASE WHEN $6 THEN $7 ELSE limit_fields END WHERE id = $1 RETURNING ${ACCOUNT}`,
    id,
    country !== undefined,
    country ?? null,
    limitSubscribers !== undefined,
    limitSubscribers ?? null,
    limitFields !== undefined,
    limitFields ?? null,
  );
  return set ?? null;
}

export const keyByHash = async (
  db: Connection,
  { hash }: Reads["keyByHash"]["args"],
): Promise<ApiKey | null> =>
  (await db.get<ApiKey>(`SELECT ${KEY} FROM api_key WHERE hash = $1`, hash)) ?? null;

export const recentKeys = (
  db: Connection,
  { since, limit }: Reads["recentKeys"]["args"],
): Promise<Reads["recentKeys"]["result"]> => db.all(RECENT_KEYS("$1", "$2"), since, limit);

export const keys = (db: Connection, { account }: Reads["keys"]["args"]): Promise<readonly ApiKey[]> =>
  db.all<ApiKey>(`SELECT ${KEY} FROM api_key WHERE account_id = $1 ORDER BY id`, account);

export const createKey = async (
  db: Connection,
  { account, hash, hint, length, label, scope, expiresAt, at }: NewKey,
): Promise<ApiKey | null> =>
  (await db.get<ApiKey>(
    `INSERT INTO api_key (account_id, hash, hint, length, label, scope, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (hash) DO NOTHING RETURNING ${KEY}`,
    account,
    hash,
    hint,
    length,
    label,
    scope,
    expiresAt,
    at,
  )) ?? null;

/** A key that is already revoked keeps its first date. */
export const revokeKey = async (
  db: Connection,
  { account, id, at }: Writes["revokeKey"]["args"],
): Promise<ApiKey | null> =>
  (await db.get<ApiKey>(
    `UPDATE api_key SET revoked_at = coalesce(revoked_at, $3) WHERE account_id = $1 AND id = $2 RETURNING ${KEY}`,
    account,
    id,
    at,
  )) ?? null;

/** The keys may be of several accounts. Their rows are locked in order of id, like accounts elsewhere. */
export async function touchKeys(db: Connection, { uses }: Writes["touchKeys"]["args"]): Promise<null> {
  await db.run(
    "WITH used AS (SELECT k.id, u.at FROM unnest($1::bigint[], $2::bigint[]) AS u (id, at) JOIN api_key AS k USING (id) ORDER BY k.id FOR UPDATE OF k) UPDATE api_key AS k SET last_used_at = used.at FROM used WHERE k.id = used.id AND (k.last_used_at IS NULL OR k.last_used_at < used.at)",
    uses.map(({ id }) => id),
    uses.map(({ at }) => at),
  );
  return null;
}
