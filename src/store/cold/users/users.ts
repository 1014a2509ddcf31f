/** Users: who they are, what they prove it with, and their tokens. */
import type { User, UserId } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import type { SetUser, UserSettings, Users } from "#domain/ports/access/users.ts";
import type { Db, Parameter } from "../kit/db.ts";
import { command, effect, feature, read } from "../kit/feature.ts";
import { completedListing } from "../kit/listing.ts";
import {
  type Change,
  change,
  column,
  integer,
  nullable,
  type RowOf,
  type Statement,
  selectList,
  statement,
  text,
} from "../kit/statement.ts";
import { endSessions } from "./sessions.ts";
import { endLogIns, userTokens } from "./tokens.ts";
import { auditUser, USER, userById, userRow, withRole, withRoles } from "./user-row.ts";

/** Passwords, secrets of TOTP and recovery codes. What is single-use is used up in one statement. */
const credentialsRow = {
  ...userRow,
  passwordHash: nullable(text),
  totpSecret: nullable(text),
  totpPending: nullable(text),
};
const CREDENTIALS = selectList(credentialsRow);
const credentialsByAddress = statement(
  credentialsRow,
  `SELECT ${CREDENTIALS} FROM app_user WHERE address_key = $1`,
);
const byId = statement(credentialsRow, `SELECT ${CREDENTIALS} FROM app_user WHERE id = $1`);

async function find(db: Db, by: Statement<RowOf<typeof credentialsRow>>, value: Parameter) {
  const row = await db.get(by, value);
  if (row === null) return null;
  const { passwordHash, totpSecret, totpPending, ...found } = row;
  const user = await withRole(db, found);
  return user === null ? null : { user, passwordHash, totpSecret, totpPending };
}

const setPassword = change("UPDATE app_user SET password_hash = $2, password_set_at = $3 WHERE id = $1");
const rehash = change("UPDATE app_user SET password_hash = $3 WHERE id = $1 AND password_hash = $2");
const enrol = change("UPDATE app_user SET totp_pending = $2 WHERE id = $1");
const confirm = change(
  `UPDATE app_user SET totp_secret = totp_pending, totp_since = $3, totp_step = $4, totp_pending = NULL
   WHERE id = $1 AND totp_pending = $2`,
);
const remove = change(
  `UPDATE app_user SET totp_secret = NULL, totp_since = NULL, totp_step = NULL, totp_pending = NULL
   WHERE id = $1`,
);
const useStep = change(
  "UPDATE app_user SET totp_step = $2 WHERE id = $1 AND (totp_step IS NULL OR totp_step < $2)",
);
const addCode = change("INSERT INTO recovery_code (user_id, hash) VALUES ($1, $2)");
const dropCodes = change("DELETE FROM recovery_code WHERE user_id = $1");
const useCode = change("DELETE FROM recovery_code WHERE user_id = $1 AND hash = $2");

/** Runs a change of a user, and writes its entry. Returns the user; null if nothing was changed. */
async function changed(
  db: Db,
  given: Parameters<typeof auditUser>[1] & { readonly id: UserId },
  statementOf: Change,
  ...parameters: readonly Parameter[]
) {
  await db.lockInstallation();
  const before = await userById(db, given.id);
  if (before === null || (await db.run(statementOf, given.id, ...parameters)) === 0) return null;
  const after = await userById(db, given.id);
  if (after !== null) await auditUser(db, given, before, after);
  return after;
}

/** Who is a user, with which roles. Changes are serialised: they are few, and one may depend on another. */
const byAddress = statement(userRow, `SELECT ${USER} FROM app_user WHERE address_key = $1`);
const addresses = statement(
  { id: integer, email: text },
  ({ isIn }) => `SELECT id, address AS email FROM app_user WHERE ${isIn("id", "$1")} ORDER BY id`,
);
const insert = statement(
  userRow,
  `INSERT INTO app_user (address, address_key, name, is_administrator, created_at)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (address_key) DO NOTHING
   RETURNING ${USER}`,
);
const account = statement({ id: integer }, "SELECT id FROM account WHERE id = $1 AND NOT is_deleting");
const setRole = change(
  `INSERT INTO user_role (account_id, user_id, role)
   VALUES ($1, $2, $3)
   ON CONFLICT (account_id, user_id) DO UPDATE SET role = excluded.role`,
);
const dropRole = change("DELETE FROM user_role WHERE account_id = $1 AND user_id = $2");
/** Each setting has a parameter that says whether it is given, and one for its value. */
const set = change(
  `UPDATE app_user SET
     name = CASE WHEN $2 THEN $3 ELSE name END,
     is_administrator = CASE WHEN $4 THEN $5 ELSE is_administrator END,
     disabled_at = CASE WHEN $6 THEN $7 ELSE disabled_at END,
     time_zone = CASE WHEN $8 THEN $9 ELSE time_zone END
   WHERE id = $1`,
);
const otherAdministrators = statement(
  { id: integer },
  "SELECT id FROM app_user WHERE is_administrator = $2 AND disabled_at IS NULL AND id <> $1 LIMIT 1",
);

/** The account cannot be deleted meanwhile. */
async function isThere(db: Db, id: AccountId): Promise<boolean> {
  await db.lockAccount(id);
  return (await db.get(account, id)) !== null;
}

const isLost = ({ isAdministrator, disabledAt }: UserSettings): boolean =>
  isAdministrator === false || typeof disabledAt === "number";

async function isLastAdministrator(db: Db, { isAdministrator, disabledAt, id }: User): Promise<boolean> {
  if (!isAdministrator || disabledAt !== null) return false;
  return (await db.get(otherAdministrators, id, true)) === null;
}

/**
 * Whether the user may now do something where they had no role before. Sessions and links end then: the owner
 * of an account can make a link for a user who works only there, and must not get further with it.
 */
const gainsRights = (before: User, after: User): boolean =>
  !before.isAdministrator &&
  (after.isAdministrator ||
    after.roles.some(({ account }) => before.roles.every((role) => role.account !== account)));

async function setUser(db: Db, given: SetUser): ReturnType<Users["set"]> {
  const { id, settings, keepsAdministrator } = given;
  await db.lockInstallation();
  const before = await userById(db, id);
  if (before === null) return "UnknownUser";
  if (keepsAdministrator && isLost(settings) && (await isLastAdministrator(db, before)))
    return "LastAdministrator";
  const { role } = settings;
  if (role !== undefined) {
    if (!(await isThere(db, role.account))) return "UnknownAccount";
    if (role.role === null) await db.run(dropRole, role.account, id);
    else await db.run(setRole, role.account, id, role.role);
  }
  const isDisabledAlready = before.disabledAt !== null && typeof settings.disabledAt === "number";
  const disabledAt = isDisabledAlready ? undefined : settings.disabledAt;
  await db.run(
    set,
    id,
    settings.name !== undefined,
    settings.name ?? "",
    settings.isAdministrator !== undefined,
    settings.isAdministrator ?? false,
    disabledAt !== undefined,
    disabledAt ?? null,
    settings.timeZone !== undefined,
    settings.timeZone ?? null,
  );
  const after = await userById(db, id);
  if (after === null) return "UnknownUser";
  await auditUser(db, given, before, after);
  if (typeof disabledAt !== "number" && !gainsRights(before, after)) return after;
  await endSessions(db, id, null);
  return { ...after, invitationExpiresAt: null };
}

export const users = feature<Users>({
  all: completedListing(
    {
      row: userRow,
      select: (condition, { lookUp }) =>
        `SELECT ${selectList({ ...userRow, id: column("r.user_id", integer) })}
         FROM user_role AS r ${lookUp("app_user", "app_user", "app_user.id = r.user_id")}
         WHERE r.account_id = $1 AND ${condition}`,
      by: [["id", "r.user_id"]],
      parameters: ({ account: id }) => [id],
    },
    (db, _args, rows) => withRoles(db, rows),
  ),
  ofInstallation: completedListing(
    {
      row: userRow,
      select: (condition) => `SELECT ${USER} FROM app_user WHERE ${condition}`,
      by: ["id"],
      parameters: () => [],
    },
    (db, _args, rows) => withRoles(db, rows),
  ),
  byId: read((db, { id }) => userById(db, id), { isSnapshot: true }),
  byAddress: read(async (db, { address }) => withRole(db, await db.get(byAddress, address.key)), {
    isSnapshot: true,
  }),
  addresses: read((db, { ids }) => db.all(addresses, ids)),
  create: command(async (db, { address, name, isAdministrator, role, at, audit }) => {
    await db.lockInstallation();
    if (role !== null && !(await isThere(db, role.account))) return "UnknownAccount";
    const row = await db.get(insert, address.text, address.key, name, isAdministrator, at);
    if (row === null) return "AddressTaken";
    if (role !== null) await db.run(setRole, role.account, row.id, role.role);
    const [created] = await withRoles(db, [row]);
    if (created === undefined) throw new Error("the new user has no row");
    await auditUser(db, { within: role?.account ?? null, audit }, null, created);
    return created;
  }),
  set: command(setUser),
  credentials: read(
    (db, { id, address }) =>
      address === undefined ? find(db, byId, id) : find(db, credentialsByAddress, address.key),
    { isSnapshot: true },
  ),
  setPassword: command(async (db, given) => {
    const after = await changed(db, given, setPassword, given.hash, given.at);
    if (after === null) return null;
    await endLogIns(db, given.id, given.keeps, given.at);
    await endSessions(db, given.id, given.keepsSession ?? null);
    return after;
  }),
  rehash: effect((db, { id, old, hash }) => db.run(rehash, id, old, hash)),
  enrolTotp: command((db, given) => changed(db, given, enrol, given.secret)),
  confirmTotp: command(async (db, given) => {
    const { id, secret, step, at, recoveryHashes } = given;
    const after = await changed(db, given, confirm, secret, at, step);
    if (after === null) return null;
    await db.run(dropCodes, id);
    for (const hash of recoveryHashes) await db.run(addCode, id, hash);
    return after;
  }),
  removeTotp: command(async (db, given) => {
    const after = await changed(db, given, remove);
    await db.run(dropCodes, given.id);
    return after;
  }),
  useTotpStep: command(async (db, { id, step }) => (await db.run(useStep, id, step)) > 0),
  useRecoveryCode: command(async (db, { id, hash }) => (await db.run(useCode, id, hash)) > 0),
  ...userTokens,
});
