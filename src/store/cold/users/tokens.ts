/** Tokens of users. */

import {
  changeableToken,
  MAX_LOG_INS,
  MAX_REVOKED_TOKENS,
  MAX_TOKENS,
  type TokenId,
  type UserToken,
} from "#domain/access/session.ts";
import type { UserId } from "#domain/access/user.ts";
import type { NewToken, Users } from "#domain/ports/access/users.ts";
import { token } from "#store/tables/entities.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import { command, type Feature, read } from "../kit/feature.ts";
import { touchLastUsed } from "../kit/last-used.ts";
import { insertOf } from "../kit/of-account.ts";
import { bytes, change, integer, statement } from "../kit/statement.ts";
import { userById } from "./user-row.ts";

/** Those that may still work come first. */
const ofUser = statement(
  token.row,
  `SELECT ${token.columns} FROM user_token
   WHERE user_id = $1
   ORDER BY CASE WHEN revoked_at IS NULL THEN 0 ELSE 1 END, id DESC
   LIMIT ${MAX_TOKENS + MAX_LOG_INS + MAX_REVOKED_TOKENS}`,
);
const byHash = statement(token.row, `SELECT ${token.columns} FROM user_token WHERE hash = $1`);
const byId = statement(token.row, `SELECT ${token.columns} FROM user_token WHERE user_id = $1 AND id = $2`);
const recent = statement(
  { hash: bytes, at: integer },
  `SELECT hash, coalesce(last_used_at, created_at) AS at
   FROM user_token
   WHERE revoked_at IS NULL AND coalesce(last_used_at, created_at) >= $1
   ORDER BY at DESC
   LIMIT $2`,
);
const insert = insertOf(token, "hash", "is_log_in", "created_at");
const revoke = statement(
  token.row,
  `UPDATE user_token SET revoked_at = coalesce(revoked_at, $3)
   WHERE user_id = $1 AND id = $2
   RETURNING ${token.columns}`,
);
const count = statement(
  { tokens: integer },
  "SELECT count(*) AS tokens FROM user_token WHERE user_id = $1 AND is_log_in = $2 AND revoked_at IS NULL",
);
/** Nobody asks about a log-in that is over. */
const dropLogIns = change(
  `DELETE FROM user_token
   WHERE user_id = $1 AND is_log_in = $2 AND (revoked_at IS NOT NULL OR expires_at <= $3)`,
);
/** All but the newest. */
const dropOldLogIns = change(
  `DELETE FROM user_token
   WHERE user_id = $1 AND is_log_in = $2 AND id NOT IN (
     SELECT id FROM user_token WHERE user_id = $1 AND is_log_in = $2 ORDER BY id DESC LIMIT $3
   )`,
);
const dropOldRevoked = change(
  `DELETE FROM user_token
   WHERE user_id = $1 AND is_log_in = $2 AND revoked_at IS NOT NULL AND id NOT IN (
     SELECT id FROM user_token
     WHERE user_id = $1 AND is_log_in = $2 AND revoked_at IS NOT NULL
     ORDER BY id DESC
     LIMIT $3
   )`,
);
const revokeLogIns = change(
  `UPDATE user_token SET revoked_at = $4
   WHERE user_id = $1 AND is_log_in = $2 AND id <> $3 AND revoked_at IS NULL`,
);

/** Nothing of the token itself. */
const audited = auditing<UserToken>("token", changeableToken);

/** Those of a password that has changed. */
export async function endLogIns(db: Db, user: UserId, keeps: TokenId | null, at: number): Promise<void> {
  await db.run(revokeLogIns, user, true, keeps ?? 0, at);
}

async function createToken(db: Db, given: NewToken): Promise<UserToken | null> {
  const { user, hash, isLogIn, at } = given;
  await db.lockInstallation();
  if (isLogIn) {
    await db.run(dropLogIns, user, true, at);
    await db.run(dropOldLogIns, user, true, MAX_LOG_INS - 1);
  } else {
    if ((await db.one(count, user, false)).tokens >= MAX_TOKENS) return null;
    await db.run(dropOldRevoked, user, false, MAX_REVOKED_TOKENS);
  }
  const created = await db.one(insert, hash, isLogIn, at, ...token.parameters(given));
  await audited(db, { ...given, account: given.within ?? null }, created.id, null, created);
  return created;
}

type Tokens = Pick<
  Users,
  "tokens" | "createToken" | "revokeToken" | "byToken" | "recentTokens" | "touchTokens"
>;

export const userTokens: Feature<Tokens> = {
  tokens: read(async (db, { user }) =>
    (await db.all(ofUser, user)).toSorted((one, other) => one.id - other.id),
  ),
  createToken: command(createToken),
  revokeToken: command(async (db, { user, id, at, audit, within = null }) => {
    // Otherwise a revocation at the same time would see the token as it was before the other one.
    await db.lockInstallation();
    const before = await db.get(byId, user, id);
    const revoked = await db.get(revoke, user, id, at);
    if (revoked !== null) await audited(db, { account: within, audit }, id, before, revoked);
    return revoked;
  }),
  byToken: read(
    async (db, { hash }) => {
      const found = await db.get(byHash, hash);
      const user = found === null ? null : await userById(db, found.user);
      return found === null || user === null ? null : { token: found, user };
    },
    { isLookup: true },
  ),
  recentTokens: read((db, { since, limit }) => db.all(recent, since, limit), { isOfService: true }),
  touchTokens: touchLastUsed("user_token"),
};
