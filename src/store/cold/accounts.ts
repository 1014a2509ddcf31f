/** Accounts, and the first one of an installation. */
import { type Account, type AccountId, NEW_ACCOUNT_FIELDS } from "#domain/account.ts";
import type { Accounts } from "#domain/ports/accounts.ts";
import { changeable } from "#domain/version.ts";
import { accountToDelete, deleteAccount } from "./jobs/deletions/account.ts";
import { insertKey } from "./keys.ts";
import { ACCOUNT, account } from "./kit/account-row.ts";
import { auditing } from "./kit/auditing.ts";
import { command, feature, read } from "./kit/feature.ts";
import { listing } from "./kit/listing.ts";
import { integer, statement } from "./kit/statement.ts";
import { insertList } from "./lists.ts";

const insert = statement(
  account,
  `INSERT INTO account (name, limit_fields, created_at)
   VALUES ($1, $2, $3)
   RETURNING ${ACCOUNT}`,
);
const rename = statement(
  account,
  `UPDATE account SET name = $2 WHERE id = $1 AND NOT is_deleting RETURNING ${ACCOUNT}`,
);
/** Each setting has a parameter that says whether it is given, and one for its value. */
const set = statement(
  account,
  `UPDATE account SET
     country = CASE WHEN $2 THEN $3 ELSE country END,
     limit_subscribers = CASE WHEN $4 THEN $5 ELSE limit_subscribers END,
     limit_fields = CASE WHEN $6 THEN $7 ELSE limit_fields END
   WHERE id = $1 AND NOT is_deleting
   RETURNING ${ACCOUNT}`,
);
/** One that is being deleted is not found. */
const byId = statement(account, `SELECT ${ACCOUNT} FROM account WHERE id = $1 AND NOT is_deleting`);
const any = statement({ id: integer }, "SELECT id FROM account LIMIT 1");

const audited = auditing<Account>("account", changeable.account);

export const accounts = feature<Accounts>({
  all: listing({
    row: account,
    select: (condition) => `SELECT ${ACCOUNT} FROM account WHERE NOT is_deleting AND ${condition}`,
    by: [["id", "id"]],
    parameters: () => [],
  }),
  some: listing({
    row: account,
    select: (condition, { isIn }) =>
      `SELECT ${ACCOUNT} FROM account WHERE ${isIn("id", "$1")} AND NOT is_deleting AND ${condition}`,
    by: [["id", "id"]],
    parameters: ({ ids }: { readonly ids: readonly AccountId[] }) => [ids],
  }),
  byId: read((db, { id }) => db.get(byId, id), { isLookup: true }),
  create: command(async (db, { name, at, audit }) => {
    await db.lockInstallation();
    const created = await db.one(insert, name, NEW_ACCOUNT_FIELDS, at);
    await audited(db, { account: created.id, audit }, created.id, null, created);
    return created;
  }),
  rename: command(async (db, { id, name, audit }) => {
    await db.lockAccount(id);
    const before = await db.get(byId, id);
    const renamed = await db.get(rename, id, name);
    if (renamed !== null) await audited(db, { account: id, audit }, id, before, renamed);
    return renamed;
  }),
  set: command(async (db, { id, settings: { country, limitSubscribers, limitFields }, audit }) => {
    await db.lockAccount(id);
    const before = await db.get(byId, id);
    const given = [country, limitSubscribers, limitFields].flatMap((value) => [
      value !== undefined,
      value ?? null,
    ]);
    const changed = await db.get(set, id, ...given);
    if (changed !== null) await audited(db, { account: id, audit }, id, before, changed);
    return changed;
  }),
  toDelete: read(accountToDelete),
  delete: command(async (db, deletion) => {
    const { account: id, audit } = deletion;
    const before = await db.get(byId, id);
    const deleted = await deleteAccount(db, deletion);
    // The entry belongs to the installation: those of the account are deleted with it. An interrupted
    // deletion that is continued has its entry already.
    if (before !== null) await audited(db, { account: null, audit }, id, before, null);
    return deleted;
  }),
  firstStart: command(async (db, { account: name, list, key }) => {
    await db.lockInstallation();
    if ((await db.get(any)) !== null) return null;
    const { id } = await db.one(insert, name, NEW_ACCOUNT_FIELDS, key.at);
    const createdKey = await insertKey(db, { ...key, account: id });
    if (createdKey === null) throw new Error("an empty installation already contains the key");
    const createdList = await insertList(db, { account: id, name: list, at: key.at });
    return { account: id, key: createdKey.id, list: createdList.id };
  }),
});
