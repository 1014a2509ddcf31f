/** Accounts and their API keys. */
import { type Account, NEW_ACCOUNT_FIELDS } from "../../domain/account.ts";
import type { ApiKey } from "../../domain/key.ts";
import type { NewKey, Reads, Writes } from "../../domain/ports.ts";
import { ACCOUNT, KEY, RECENT_KEYS } from "../rows.ts";
import type { Connection } from "./connection.ts";

export const accounts = (db: Connection): Reads["accounts"]["result"] =>
  db.all<Account>(`SELECT ${ACCOUNT} FROM account ORDER BY id`);

const account = (db: Connection, id: number): Account | null =>
  db.get<Account>(`SELECT ${ACCOUNT} FROM account WHERE id = ?`, id) ?? null;

export function createAccount(db: Connection, { name, at }: Writes["createAccount"]["args"]): Account {
  const id = db.insert(
    "INSERT INTO account (name, limit_fields, created_at) VALUES (?, ?, ?)",
    name,
    NEW_ACCOUNT_FIELDS,
    at,
  );
  const created = account(db, id);
  if (created === null) throw new Error("no row returned for a new account");
  return created;
}

export function renameAccount(db: Connection, { id, name }: Writes["renameAccount"]["args"]): Account | null {
  db.run("UPDATE account SET name = ? WHERE id = ?", name, id);
  return account(db, id);
}

export function setAccount(db: Connection, { id, settings }: Writes["setAccount"]["args"]): Account | null {
  const { country, limitSubscribers, limitFields } = settings;
  if (country !== undefined) db.run("UPDATE account SET country = ? WHERE id = ?", country, id);
  if (limitSubscribers !== undefined)
    db.run("UPDATE account SET limit_subscribers = ? WHERE id = ?", limitSubscribers, id);
  if (limitFields !== undefined) db.run("UPDATE account SET limit_fields = ? WHERE id = ?", limitFields, id);
  return account(db, id);
}

export const keyByHash = (db: Connection, { hash }: Reads["keyByHash"]["args"]): ApiKey | null =>
  db.get<ApiKey>(`SELECT ${KEY} FROM api_key WHERE hash = ?`, hash) ?? null;

export const recentKeys = (
  db: Connection,
  { since, limit }: Reads["recentKeys"]["args"],
): Reads["recentKeys"]["result"] => db.all(RECENT_KEYS("?", "?"), since, limit);

export const keys = (db: Connection, { account }: Reads["keys"]["args"]): readonly ApiKey[] =>
  db.all<ApiKey>(`SELECT ${KEY} FROM api_key WHERE account_id = ? ORDER BY id`, account);

export function createKey(db: Connection, key: NewKey): ApiKey | null {
  if (keyByHash(db, key) !== null) return null;
  const { account, hash, hint, length, label, scope, expiresAt, at } = key;
  db.run(
    "INSERT INTO api_key (account_id, hash, hint, length, label, scope, expires_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
    account,
    hash,
    hint,
    length,
    label,
    scope,
    expiresAt,
    at,
  );
  return keyByHash(db, key);
}

/** A key that is already revoked keeps its first date. */
export function revokeKey(db: Connection, { account, id, at }: Writes["revokeKey"]["args"]): ApiKey | null {
  db.run(
    "UPDATE api_key SET revoked_at = ? WHERE id = ? AND account_id = ? AND revoked_at IS NULL",
    at,
    id,
    account,
  );
  return db.get<ApiKey>(`SELECT ${KEY} FROM api_key WHERE id = ? AND account_id = ?`, id, account) ?? null;
}

export function touchKeys(db: Connection, { uses }: Writes["touchKeys"]["args"]): null {
  for (const { id, at } of uses)
    db.run(
      "UPDATE api_key SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)",
      at,
      id,
      at,
    );
  return null;
}
