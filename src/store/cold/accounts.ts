/** Accounts, and the first one of an installation. */
import { NEW_ACCOUNT_FIELDS } from "../../domain/account.ts";
import type { Accounts } from "../../domain/ports/accounts.ts";
import { accountToDelete, deleteAccount } from "./jobs/account-deletion.ts";
import { insertKey } from "./keys.ts";
import { ACCOUNT, account } from "./kit/account-row.ts";
import { command, feature, read } from "./kit/feature.ts";
import { integer, statement } from "./kit/statement.ts";
import { insertList } from "./lists.ts";

const all = statement(account, `SELECT ${ACCOUNT} FROM account WHERE NOT is_deleting ORDER BY id`);
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
const any = statement({ id: integer }, "SELECT id FROM account LIMIT 1");

export const accounts = feature<Accounts>({
  all: read((db) => db.all(all)),
  create: command(async (db, { name, at }) => {
    await db.lockInstallation();
    return db.one(insert, name, NEW_ACCOUNT_FIELDS, at);
  }),
  rename: command((db, { id, name }) => db.get(rename, id, name)),
  set: command(async (db, { id, settings: { country, limitSubscribers, limitFields } }) => {
    await db.lockAccount(id);
    const given = [country, limitSubscribers, limitFields].flatMap((value) => [
      value !== undefined,
      value ?? null,
    ]);
    return db.get(set, id, ...given);
  }),
  toDelete: read(accountToDelete),
  delete: command(deleteAccount),
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
