/** Accounts, and the first one of an installation. */
import { type Account, type AccountId, NEW_ACCOUNT_FIELDS } from "#domain/account.ts";
import type { Accounts } from "#domain/ports/accounts.ts";
import { changeable } from "#domain/version.ts";
import { account } from "../tables/entities.ts";
import { startProgram } from "./health.ts";
import { accountToDelete, deleteAccount } from "./jobs/delete-account.ts";
import { insertKey } from "./keys.ts";
import { auditing } from "./kit/auditing.ts";
import type { Db } from "./kit/db.ts";
import { command, feature, read } from "./kit/feature.ts";
import { listing } from "./kit/listing.ts";
import { insertOf } from "./kit/of-account.ts";
import { change, integer, nullable, statement } from "./kit/statement.ts";
import { insertList } from "./lists.ts";

const insert = insertOf(account, "created_at");
const update = statement(
  account.row,
  `UPDATE account SET ${account.assignments(2)} WHERE id = $1 RETURNING ${account.columns}`,
);
/** One that is being deleted is not found. */
const byId = statement(
  account.row,
  `SELECT ${account.columns} FROM account WHERE id = $1 AND NOT is_deleting`,
);
const stepsDismissed = statement(
  { at: nullable(integer) },
  "SELECT steps_dismissed_at AS at FROM account WHERE id = $1 AND NOT is_deleting",
);
const dismissSteps = change("UPDATE account SET steps_dismissed_at = $2 WHERE id = $1");
const any = statement({ id: integer }, "SELECT id FROM account LIMIT 1");

const insertAccount = (db: Db, name: string, at: number): Promise<Account> =>
  db.one(insert, at, ...account.parameters({ name, limitFields: NEW_ACCOUNT_FIELDS }));

const audited = auditing<Account>("account", changeable.account);
const auditedSteps = auditing<{ readonly stepsDismissedAt: number | null }>("account", ["stepsDismissedAt"]);

export const accounts = feature<Accounts>({
  all: listing({
    row: account.row,
    select: (condition) => `SELECT ${account.columns} FROM account WHERE NOT is_deleting AND ${condition}`,
    by: ["id"],
    parameters: () => [],
  }),
  some: listing({
    row: account.row,
    select: (condition, { isIn }) =>
      `SELECT ${account.columns} FROM account WHERE ${isIn("id", "$1")} AND NOT is_deleting AND ${condition}`,
    by: ["id"],
    parameters: ({ ids }: { readonly ids: readonly AccountId[] }) => [ids],
  }),
  exist: read(async (db) => (await db.get(any)) !== null, { isOfService: true }),
  byId: read((db, { id }) => db.get(byId, id), { isLookup: true }),
  create: command(async (db, { name, at, audit }) => {
    await db.lockInstallation();
    const created = await insertAccount(db, name, at);
    await audited(db, { account: created.id, audit }, created.id, null, created);
    return created;
  }),
  set: command(async (db, { id, settings, audit }) => {
    await db.lockAccount(id);
    const before = await db.get(byId, id);
    if (before === null) return null;
    const changed = await db.one(update, id, ...account.parameters(before, settings));
    await audited(db, { account: id, audit }, id, before, changed);
    return changed;
  }),
  dismissSteps: command(async (db, { account: id, at, audit }) => {
    const before = await db.get(stepsDismissed, id);
    if (before?.at === null) {
      await db.run(dismissSteps, id, at);
      await auditedSteps(
        db,
        { account: id, audit },
        id,
        { stepsDismissedAt: null },
        { stepsDismissedAt: at },
      );
    }
    return before !== null;
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
  firstStart: command(async (db, { account: name, list, key, demo }) => {
    await db.lockInstallation();
    if ((await db.get(any)) !== null) return null;
    if (demo !== undefined) await startProgram(db, demo);
    const { id } = await insertAccount(db, name, key.at);
    const createdKey = await insertKey(db, { ...key, account: id });
    if (createdKey === null) throw new Error("an empty installation already contains the key");
    const createdList = await insertList(db, { account: id, name: list, at: key.at });
    return { account: id, key: createdKey.id, list: createdList.id };
  }),
});
