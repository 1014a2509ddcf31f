/** Passwords, secrets of TOTP and recovery codes. What is single-use is used up in one statement. */
import type { UserId } from "#domain/access/user.ts";
import type { Credentials, Users } from "#domain/ports/access/users.ts";
import type { Db, Parameter } from "../kit/db.ts";
import { command, type Feature, read } from "../kit/feature.ts";
import {
  type Change,
  change,
  nullable,
  type RowOf,
  type Statement,
  statement,
  text,
} from "../kit/statement.ts";
import { endSessions } from "./sessions.ts";
import { endLogIns } from "./tokens.ts";
import { auditUser, USER, userById, userRow, withRoles } from "./user-row.ts";

const credentialsRow = {
  ...userRow,
  passwordHash: nullable(text),
  totpSecret: nullable(text),
  totpPending: nullable(text),
};
const CREDENTIALS = `
  ${USER}, password_hash AS "passwordHash", totp_secret AS "totpSecret", totp_pending AS "totpPending"`;
const byAddress = statement(credentialsRow, `SELECT ${CREDENTIALS} FROM app_user WHERE address_key = $1`);
const byId = statement(credentialsRow, `SELECT ${CREDENTIALS} FROM app_user WHERE id = $1`);

async function find(
  db: Db,
  by: Statement<RowOf<typeof credentialsRow>>,
  value: Parameter,
): Promise<Credentials | null> {
  const row = await db.get(by, value);
  if (row === null) return null;
  const [user] = await withRoles(db, [row]);
  if (user === undefined) return null;
  const { passwordHash, totpSecret, totpPending } = row;
  return { user, passwordHash, totpSecret, totpPending };
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

type Secrets = Pick<
  Users,
  | "credentials"
  | "setPassword"
  | "rehash"
  | "enrolTotp"
  | "confirmTotp"
  | "removeTotp"
  | "useTotpStep"
  | "useRecoveryCode"
>;

export const userCredentials: Feature<Secrets> = {
  credentials: read(
    (db, { id, address }) => (address === undefined ? find(db, byId, id) : find(db, byAddress, address.key)),
    { isSnapshot: true },
  ),
  setPassword: command(async (db, given) => {
    const after = await changed(db, given, setPassword, given.hash, given.at);
    if (after === null) return null;
    await endLogIns(db, given.id, given.keeps, given.at);
    await endSessions(db, given.id, given.keepsSession ?? null);
    return after;
  }),
  rehash: command(async (db, { id, old, hash }) => {
    await db.run(rehash, id, old, hash);
    return null;
  }),
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
};
