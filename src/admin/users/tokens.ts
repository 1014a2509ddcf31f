/** Tokens of other users: for owners and administrators. */

import { hashToken, MAX_TOKENS, newToken, type TokenId, type UserToken } from "#domain/access/session.ts";
import { highestRole, isAtLeast, type Role, type User } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import { audited, type Performing, query } from "../kit/action.ts";
import { existing, InvalidInput, NotPossible } from "../kit/errors.ts";
import { requireName } from "../kit/inputs.ts";
import { manageCredentials, manageUser, type OneUser } from "./managed-user.ts";

export interface TokenInput {
  /** What it is for. */
  readonly name: string;
  /** null: the highest role that the user has. */
  readonly role: Role | null;
  /** null: it does not expire. */
  readonly expiresAt: number | null;
}
export interface CreatedToken {
  readonly token: UserToken;
  /** Not stored. */
  readonly secret: string;
}

function requireTokenRole(role: Role | null, user: User): Role {
  const highest = highestRole(user);
  if (highest === null)
    throw new NotPossible(
      "the user has no role in any account, so a token could not be used for anything; give the user a role first",
    );
  if (role !== null && !isAtLeast(highest, role))
    throw new InvalidInput("role", `must be at most the role of the user, which is ${highest}`);
  return role ?? highest;
}

/** A token for a user who is known to be allowed to have it. */
export async function issueToken(
  { store, clock, audit }: Performing,
  user: User,
  { name, role, expiresAt }: TokenInput,
  within: AccountId | null = null,
): Promise<CreatedToken> {
  const at = clock();
  if (expiresAt !== null && expiresAt <= at) throw new InvalidInput("expiresAt", "must be in the future");
  const secret = newToken();
  const token = await store.users.createToken({
    user: user.id,
    hash: hashToken(secret),
    name: requireName(name),
    role: requireTokenRole(role, user),
    isLogIn: false,
    expiresAt,
    at,
    audit,
    within,
  });
  if (token === null)
    throw new NotPossible(
      `the user already has ${MAX_TOKENS} tokens, which is the maximum; revoke one first`,
    );
  return { token, secret };
}

/** Only for administrators, because a program with the token acts as that user. */
export const createUserToken = audited(
  "user.token.create",
  "administrator",
  async (admin, { account, id, ...input }: OneUser & TokenInput) =>
    await issueToken(admin, await manageCredentials(admin, { account, id }), input, account),
);

export const listUserTokens = query("user.token.list", "owner", async (admin, one: OneUser) => {
  const { id } = await manageUser(admin, one);
  return await admin.store.users.tokens({ user: id });
});

interface OneToken extends OneUser {
  readonly token: TokenId;
}
/** A token that was already revoked keeps the date of its revocation. */
export const revokeUserToken = audited(
  "user.token.revoke",
  "owner",
  async (admin, { token: id, ...one }: OneToken) => {
    const { store, clock, audit } = admin;
    const user = await manageUser(admin, one);
    const of = { user: user.id, within: one.account };
    return existing("token", id, await store.users.revokeToken({ ...of, id, at: clock(), audit }));
  },
);
