/** What every user does about themselves: log in, the password, the second factor, tokens. */
import { passwords } from "#auth/users/passwords.ts";
import { userOf } from "#domain/access/origin.ts";
import { hashToken, LOG_IN_MS, mayResetPassword, newToken, type TokenId } from "#domain/access/session.ts";
import { highestRole, type User } from "#domain/access/user.ts";
import { type Admin, audited, query } from "../kit/action.ts";
import { existing, Forbidden, InvalidInput, NotPossible } from "../kit/errors.ts";
import { confirmTotp, enrolTotp, removeTotp, requirePassword } from "./credentials.ts";
import { requireLogIn } from "./managed-user.ts";
import { type CreatedToken, issueToken, type TokenInput } from "./tokens.ts";

export async function me({ store, actor }: Admin): Promise<User> {
  const id = userOf(actor.origin) ?? 0;
  return existing("user", id, await store.users.byId({ id }));
}

/** With the token of this request, if there is one. */
export const showMe = query("me.show", "user", async (admin) => {
  const user = await me(admin);
  const { proof } = admin.actor;
  return { user, token: proof?.kind === "token" ? proof.id : null };
});

/** Exchanges a password for a token that ends soon. The password has been checked before (`auth/users/`). */
export const logIn = audited("me.logIn", "user", async (admin): Promise<CreatedToken> => {
  const { store, actor, clock, audit } = admin;
  if (actor.proof?.kind !== "password") throw new Forbidden("me.logIn needs a password");
  const user = await me(admin);
  const [at, secret] = [clock(), newToken()];
  const token = await store.users.createToken({
    user: user.id,
    hash: hashToken(secret),
    name: "log-in",
    role: highestRole(user) ?? "viewer",
    isLogIn: true,
    expiresAt: at + LOG_IN_MS,
    at,
    audit,
  });
  if (token === null) throw new NotPossible("the user has too many log-ins");
  return { token, secret };
});

/** Whether the user has just signed in with a link. */
const hasNewLink = ({ actor: { proof }, clock }: Admin): boolean =>
  proof?.kind === "session" && mayResetPassword(proof.linkAt, clock());

/** With the current password, so that a token or an open screen is not enough. */
async function requireOwnPassword(admin: Admin, password: string, input: string): Promise<User> {
  const { passwordCheck, actor } = admin;
  requireLogIn(actor);
  const user = await me(admin);
  // Signed in with a link: there is nothing to prove it with, and this sets the first one.
  if (user.passwordSetAt === null) return user;
  if (passwordCheck === undefined) throw new NotPossible("passwords are not checked here");
  if (!(await passwordCheck(user.id, password, actor.from ?? "")))
    throw new InvalidInput(input, "is not the current password");
  return user;
}

/**
 * Ends the other log-ins and sessions of the user; tokens that are not of a log-in keep working. Shortly
 * after signing in with a link, the old password is not needed, so that a forgotten one can be replaced.
 */
export const changePassword = audited(
  "me.password",
  "user",
  async (admin, { oldPassword, password }: { readonly oldPassword: string; readonly password: string }) => {
    const { store, actor, clock, audit } = admin;
    const user = hasNewLink(admin)
      ? await me(admin)
      : await requireOwnPassword(admin, oldPassword, "oldPassword");
    const hash = await passwords.hash(requirePassword(password, user), actor.from);
    const keeps = actor.proof?.kind === "token" ? actor.proof.id : null;
    const keepsSession = actor.proof?.kind === "session" ? actor.proof.id : null;
    const of = { id: user.id, within: null };
    return await store.users.setPassword({ ...of, hash, at: clock(), keeps, keepsSession, audit });
  },
);

interface OwnPassword {
  readonly password: string;
}
export const enrolMyTotp = audited("me.totp.enrol", "user", async (admin, { password }: OwnPassword) => {
  const { id } = await requireOwnPassword(admin, password, "password");
  return await enrolTotp(admin, { id, within: null });
});
export const confirmMyTotp = audited(
  "me.totp.confirm",
  "user",
  async (admin, { code }: { readonly code: string }) => {
    requireLogIn(admin.actor);
    const { id } = await me(admin);
    return { recoveryCodes: await confirmTotp(admin, { id, within: null }, code) };
  },
);
export const removeMyTotp = audited("me.totp.remove", "user", async (admin, { password }: OwnPassword) => {
  const user = await requireOwnPassword(admin, password, "password");
  await removeTotp(admin, { id: user.id, within: null });
  return user;
});

export const createMyToken = audited("me.token.create", "user", async (admin, input: TokenInput) => {
  requireLogIn(admin.actor);
  return await issueToken(admin, await me(admin), input);
});

export const listMyTokens = query("me.token.list", "user", async (admin) => {
  const { id } = await me(admin);
  return await admin.store.users.tokens({ user: id });
});

/** Of the token of the request itself: logs out. The token of a program ends no other. */
export const revokeMyToken = audited(
  "me.token.revoke",
  "user",
  async (admin, { token: id }: { readonly token: TokenId }) => {
    const { store, actor, clock, audit } = admin;
    const { id: user } = await me(admin);
    if (actor.proof?.kind !== "token" || actor.proof.id !== id) requireLogIn(actor);
    return existing("token", id, await store.users.revokeToken({ user, id, at: clock(), audit }));
  },
);
