/** Sessions of the console, and links to sign in with. What is single-use is used up in one statement. */
import {
  begunWith,
  linkKinds,
  MAX_SESSIONS,
  SESSION_IDLE_MS,
  type Session,
  type SessionId,
} from "#domain/access/session.ts";
import type { UserId } from "#domain/access/user.ts";
import type { Sessions } from "#domain/ports/access/sessions.ts";
import { STEP } from "../../writes/step-limits.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { command, effect, feature, read } from "../kit/feature.ts";
import { touchLastUsed } from "../kit/last-used.ts";
import { change, column, integer, nullable, oneOf, selectList, statement, text } from "../kit/statement.ts";
import { auditUser, userById } from "./user-row.ts";

const session = {
  id: integer,
  user: column("user_id", integer),
  createdAt: integer,
  lastUsedAt: integer,
  expiresAt: integer,
  client: text,
  program: text,
  begunWith: oneOf(begunWith),
};
const SESSION = selectList(session);

const insert = statement(
  session,
  `INSERT INTO user_session (user_id, hash, created_at, last_used_at, expires_at, client, program, begun_with)
   VALUES ($1, $2, $3, $3, $4, $5, $6, $7)
   RETURNING ${SESSION}`,
);
const setFirstZone = change("UPDATE app_user SET time_zone = $2 WHERE id = $1 AND time_zone IS NULL");
/** All but the newest. */
const dropOld = change(
  `DELETE FROM user_session
   WHERE user_id = $1 AND id NOT IN (
     SELECT id FROM user_session WHERE user_id = $1 ORDER BY id DESC LIMIT $2
   )`,
);
const byHash = statement(session, `SELECT ${SESSION} FROM user_session WHERE hash = $1`);
const ofUser = statement(
  session,
  `SELECT ${SESSION} FROM user_session
   WHERE user_id = $1 AND expires_at > $2 AND last_used_at > $3
   ORDER BY id`,
);
const end = statement(
  session,
  `DELETE FROM user_session WHERE user_id = $1 AND id = $2 RETURNING ${SESSION}`,
);
const endOthers = change("DELETE FROM user_session WHERE user_id = $1 AND id <> $2");

const addLink = change(
  "INSERT INTO sign_in_link (hash, user_id, created_at, expires_at, kind) VALUES ($1, $2, $3, $4, $5)",
);
const linkRow = { user: column("user_id", nullable(integer)), kind: oneOf(linkKinds) };
const LINK = selectList(linkRow);
const link = statement(linkRow, `SELECT ${LINK} FROM sign_in_link WHERE hash = $1 AND expires_at > $2`);
const useLink = statement(
  linkRow,
  `DELETE FROM sign_in_link WHERE hash = $1 AND expires_at > $2 AND kind = $3 RETURNING ${LINK}`,
);
const setPassword = change("UPDATE app_user SET password_hash = $2, password_set_at = $3 WHERE id = $1");
const invitation = statement(
  { expiresAt: integer },
  `SELECT expires_at AS "expiresAt" FROM sign_in_link WHERE user_id = $1 AND kind = 'invitation'`,
);
const dropInvitation = change("DELETE FROM sign_in_link WHERE user_id = $1 AND kind = 'invitation'");
const dropLinksOf = change("DELETE FROM sign_in_link WHERE user_id = $1");
const dropFirstLinks = change("DELETE FROM sign_in_link WHERE user_id IS NULL");

const administrator = statement(
  { id: integer },
  "SELECT id FROM app_user WHERE is_administrator = $1 AND disabled_at IS NULL LIMIT 1",
);
const insertAdministrator = statement(
  { id: integer },
  `INSERT INTO app_user (address, address_key, name, is_administrator, created_at, password_hash, password_set_at)
   VALUES ($1, $2, $3, $4, $5, $6, $5)
   ON CONFLICT (address_key) DO NOTHING
   RETURNING id`,
);

/** Rows of a time that is over, in batches. A session that was not used for long ends before its time. */
const dropSessions = change(
  `DELETE FROM user_session WHERE id IN (
     SELECT id FROM user_session WHERE expires_at <= $1 OR last_used_at <= $2 ORDER BY id LIMIT $3
   )`,
);
const dropLinks = change(
  `DELETE FROM sign_in_link WHERE hash IN (
     SELECT hash FROM sign_in_link WHERE expires_at <= $1 ORDER BY hash LIMIT $2
   )`,
);
/** Returns whether there may be more. */
export async function purgeSessions(db: Db, now: number): Promise<boolean> {
  const sessions = await db.run(dropSessions, now, now - SESSION_IDLE_MS, STEP);
  const links = await db.run(dropLinks, now, STEP);
  return sessions === STEP || links === STEP;
}

/**
 * After a new password, or for a user who is disabled or gets further rights; links that were made before do
 * not work either.
 */
export async function endSessions(db: Db, user: UserId, keeps: SessionId | null): Promise<void> {
  await db.run(endOthers, user, keeps ?? 0);
  await db.run(dropLinksOf, user);
}

/** Nothing of what proves it. */
const audited = auditing<Session>("session", ["user", "program", "begunWith", "expiresAt"]);

const auditedLink = auditing<{ readonly expiresAt: number }>("sign-in link", ["expiresAt"]);

const hasAdministrator = async (db: Db): Promise<boolean> => (await db.get(administrator, true)) !== null;

export const sessions = feature<Sessions>({
  create: command(async (db, given) => {
    const { user, hash, at, expiresAt, client, program, begunWith: means = "password", timeZone } = given;
    await db.lockInstallation();
    await db.run(dropOld, user, MAX_SESSIONS - 1);
    const created = await db.one(insert, user, hash, at, expiresAt, client, program, means);
    await audited(db, { ...given, account: null }, created.id, null, created);
    if (timeZone != null) await db.run(setFirstZone, user, timeZone);
    return created;
  }),
  byHash: read(
    async (db, { hash }) => {
      const found = await db.get(byHash, hash);
      const user = found === null ? null : await userById(db, found.user);
      return found === null || user === null ? null : { session: found, user };
    },
    { isLookup: true },
  ),
  ofUser: read((db, { user, at }) => db.all(ofUser, user, at, at - SESSION_IDLE_MS)),
  end: command(async (db, { user, id, audit }) => {
    const ended = await db.get(end, user, id);
    if (ended !== null) await audited(db, { account: null, audit }, id, ended, null);
    return ended;
  }),
  touch: touchLastUsed("user_session"),
  createLink: effect(async (db, { hash, user, at, expiresAt, kind = "sign-in", audit }) => {
    await db.lockInstallation();
    if (kind === "invitation") await db.run(dropInvitation, user);
    await db.run(addLink, hash, user, at, expiresAt, kind);
    // It has no id of its own.
    await auditedLink(db, { account: null, audit }, user ?? 0, null, { expiresAt });
  }),
  link: read((db, { hash, at }) => db.get(link, hash, at)),
  useLink: command((db, { hash, at }) => db.get(useLink, hash, at, "sign-in")),
  acceptInvitation: command(async (db, { hash, at, passwordHash, audit }) => {
    await db.lockInstallation();
    const found = await db.get(useLink, hash, at, "invitation");
    const before = found === null || found.user === null ? null : await userById(db, found.user);
    if (before === null || before.disabledAt !== null) return null;
    await db.run(setPassword, before.id, passwordHash, at);
    await endSessions(db, before.id, null);
    const after = await userById(db, before.id);
    if (after !== null) await auditUser(db, { within: null, audit }, before, after);
    return after;
  }),
  withdrawInvitation: command(async (db, { user, audit }) => {
    await db.lockInstallation();
    const before = await db.get(invitation, user);
    if (before === null) return false;
    await db.run(dropInvitation, user);
    await auditedLink(db, { account: null, audit }, user, before, null);
    return true;
  }),
  hasAdministrator: read(hasAdministrator),
  createFirstAdministrator: command(async (db, given) => {
    const { hash, at, address, name, passwordHash, audit } = given;
    await db.lockInstallation();
    if (await hasAdministrator(db)) return "HasAdministrator";
    const found = await db.get(link, hash, at);
    if (found === null || found.user !== null) return "UnknownLink";
    const row = await db.get(insertAdministrator, address.text, address.key, name, true, at, passwordHash);
    if (row === null) return "AddressTaken";
    // Links that were made besides would not work any more either.
    await db.run(dropFirstLinks);
    const created = await userById(db, row.id);
    if (created === null) throw new Error("the new user has no row");
    await auditUser(db, { within: null, audit }, null, created);
    return created;
  }),
});
