/**
 * Which users an actor manages. An owner sees the users of the account and decides about their roles in it.
 * What concerns a user everywhere – the password, tokens, whether the user is disabled – is up to an owner
 * only if the user has no role outside of the accounts that the actor owns. Otherwise an owner could act as
 * that user in another account. Administrators manage everybody.
 */
import type { Actor } from "#domain/access/actor.ts";
import { userOf } from "#domain/access/origin.ts";
import type { User, UserId } from "#domain/access/user.ts";
import { isAtLeast } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import type { Admin } from "../kit/action.ts";
import { Forbidden, NotFound } from "../kit/errors.ts";

/** Arguments of an action about users of an account; null: of the installation. */
export interface AmongUsers {
  readonly account: AccountId | null;
}
export interface OneUser extends AmongUsers {
  readonly id: UserId;
}

export const isAdministrator = (actor: Actor): boolean => actor.roleIn(null) === "administrator";

const isIn = (user: User, account: AccountId | null): boolean =>
  account === null || user.roles.some((one) => one.account === account);

/** As the actor may see it: an owner does not see roles in other accounts. */
export const seenBy = (actor: Actor, user: User): User =>
  isAdministrator(actor)
    ? user
    : {
        ...user,
        roles: user.roles.filter(({ account }) => actor.roleIn(account) !== null),
      };

/** Administrators also find users who have no role in the account. */
export function visible(
  actor: Actor,
  account: AccountId | null,
  id: UserId | string,
  user: User | null,
): User {
  if (user === null || !(isAdministrator(actor) || isIn(user, account))) throw new NotFound("user", id);
  return user;
}
export const findUser = async ({ store, actor }: Admin, { account, id }: OneUser): Promise<User> =>
  visible(actor, account, id, await store.users.byId({ id }));

/** The user, if the actor may change what concerns them everywhere. */
export async function manageUser(admin: Admin, one: OneUser): Promise<User> {
  const user = await findUser(admin, one);
  const { actor } = admin;
  const isOwned = user.roles.every(({ account }) => isAtLeast(actor.roleIn(account) ?? "viewer", "owner"));
  if (isAdministrator(actor) || (isOwned && !user.isAdministrator)) return user;
  throw new Forbidden(
    `only an administrator may change this, because user ${user.id} is an administrator or also has a role in another account`,
  );
}

/**
 * Passwords, second factors and tokens change what a user can log in with. A token of a program is not enough
 * for that: a thief of one could create another token or a password, with a higher role, which still works
 * after the first token is revoked or has expired.
 */
export function requireLogIn({ origin, proof }: Actor): void {
  const isLoggedIn = proof !== undefined && (proof.kind !== "token" || proof.isLogIn);
  if (origin.kind === "user" && !isLoggedIn)
    throw new Forbidden(
      "the token of a program cannot change passwords or second factors, or create tokens; log in with your password for that",
    );
}

/** The user, if the actor may change what they log in with. */
export async function manageCredentials(admin: Admin, one: OneUser): Promise<User> {
  requireLogIn(admin.actor);
  if (userOf(admin.actor.origin) === one.id)
    throw new Forbidden("users change their own password, second factor and tokens with their password");
  return await manageUser(admin, one);
}
