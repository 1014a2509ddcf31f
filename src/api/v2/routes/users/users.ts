/** Users of an account, and of the installation. */

import { Type } from "typebox";
import { confirmUserTotp, enrolUserTotp, removeUserTotp, setUserPassword } from "#admin/users/credentials.ts";
import { createUserToken, listUserTokens, revokeUserToken } from "#admin/users/tokens.ts";
import {
  createUser,
  disableUser,
  enableUser,
  findUserByAddress,
  listUsers,
  setAdministrator,
  setUser,
  setUserRole,
  showUser,
} from "#admin/users/users.ts";
import { accountRoles, type User } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import { userWithin } from "#domain/version.ts";
import { type Route, route } from "../../kit/route.ts";
import { Collection, collection, Input, Nullable, OneOf, pageOf, pageQuery } from "../../kit/schemas.ts";
import {
  Code,
  CreatedTokenSchema,
  Enrolment,
  NewToken,
  Password,
  RecoveryCodes,
  TokenSchema,
  toCreatedToken,
  tokenInput,
  tokenPage,
  toToken,
  toUser,
  UserSchema,
} from "./schemas.ts";
import { userSessionRoutes } from "./sessions.ts";

/** Passwords, second factors and tokens of other users. */
const tag = "Users";

const credentialRoutes: readonly Route[] = [
  route({
    method: "PUT",
    path: "/accounts/{account}/users/{user}/password",
    tag,
    summary: "Set the password of a user",
    description: "The user is logged out everywhere. Tokens that were not created by a log-in keep working.",
    action: setUserPassword,
    body: Input({ password: Password }),
    takesPassword: true,
    args: ({ params: { account, user }, body }) => ({ account, id: user, ...body }),
    status: 200,
    reply: UserSchema,
    answer: toUser,
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/users/{user}/totp",
    tag,
    summary: "Enrol a second factor for a user",
    action: enrolUserTotp,
    args: ({ params: { account, user } }) => ({ account, id: user }),
    status: 201,
    reply: Enrolment,
    answer: (enrolment) => enrolment,
    hasSecret: true,
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/users/{user}/totp/confirm",
    tag,
    summary: "Confirm the second factor of a user",
    action: confirmUserTotp,
    body: Input({ code: Code }),
    args: ({ params: { account, user }, body }) => ({ account, id: user, ...body }),
    status: 200,
    reply: RecoveryCodes,
    answer: ({ recoveryCodes }) => ({ recoveryCodes: [...recoveryCodes] }),
    hasSecret: true,
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/users/{user}/totp/remove",
    tag,
    summary: "Remove the second factor of a user",
    action: removeUserTotp,
    args: ({ params: { account, user } }) => ({ account, id: user }),
    status: 204,
    answer: () => undefined,
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/users/{user}/tokens",
    tag,
    summary: "List the tokens of a user",
    action: listUserTokens,
    args: ({ params: { account, user } }) => ({ account, id: user }),
    ...tokenPage,
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/users/{user}/tokens",
    tag,
    summary: "Create a token for a user",
    description: "A program with the token acts as that user.",
    action: createUserToken,
    body: NewToken,
    args: ({ params: { account, user }, body }) => ({ account, id: user, ...tokenInput(body) }),
    status: 201,
    reply: CreatedTokenSchema,
    answer: toCreatedToken,
    hasSecret: true,
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/users/{user}/tokens/{token}/revoke",
    tag,
    summary: "Revoke a token of a user",
    action: revokeUserToken,
    args: ({ params: { account, user, token } }) => ({ account, id: user, token }),
    status: 200,
    reply: TokenSchema,
    answer: toToken,
  }),
];

const Email = Type.String({ examples: ["ada@example.org"] });
const Name = Nullable(Type.String({ description: "The name of the person; null for none." }));
const shown = { status: 200, reply: UserSchema, answer: toUser } as const;
/** In an account, a user has the version that an owner can see; without one, that of the installation. */
const versioned = {
  ...shown,
  thing: "user",
  versioned: (user: User, { params }: { readonly params: { readonly account?: AccountId } }) =>
    userWithin(user, params.account ?? null),
} as const;

/** What there is in an account, and again in the installation, for administrators. */
const inAccount: readonly Route[] = [
  route({
    method: "GET",
    path: "/accounts/{account}/users",
    tag,
    summary: "List users",
    action: listUsers,
    query: Type.Object(pageQuery),
    args: ({ params, query }) => ({ ...params, ...pageOf(query) }),
    status: 200,
    reply: Collection(UserSchema),
    answer: (page) => collection(page, toUser),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/users:find",
    tag,
    summary: "Find a user by e-mail address",
    action: findUserByAddress,
    body: Input({ email: Email }),
    args: ({ params, body }) => ({ ...params, ...body }),
    ...shown,
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/users/{user}",
    tag,
    summary: "Show a user",
    action: showUser,
    args: ({ params: { account, user } }) => ({ account, id: user }),
    ...versioned,
  }),
  route({
    method: "PATCH",
    path: "/accounts/{account}/users/{user}",
    tag,
    summary: "Change the name of a user",
    action: setUser,
    body: Input({ name: Name }),
    args: ({ params: { account, user }, body }) => ({ account, id: user, name: body.name ?? "" }),
    ...versioned,
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/users/{user}/disable",
    tag,
    summary: "Disable a user",
    description: "The user can no longer log in. From the next request on, tokens of the user do not work.",
    action: disableUser,
    args: ({ params: { account, user } }) => ({ account, id: user }),
    ...versioned,
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/users/{user}/enable",
    tag,
    summary: "Enable a user",
    description: "Tokens that were not revoked and have not expired work again.",
    action: enableUser,
    args: ({ params: { account, user } }) => ({ account, id: user }),
    ...versioned,
  }),
  ...credentialRoutes,
  ...userSessionRoutes,
];

const PREFIX = "/accounts/{account}";
const ofInstallation = (one: Route): Route => ({
  ...one,
  isOfInstallation: true,
  path: one.path.slice(PREFIX.length),
  summary: `${one.summary}, in the whole installation`,
  args: (given) => ({ ...(one.args(given) as object), account: null }) as never,
});

export const userRoutes: readonly Route[] = [
  ...inAccount,
  ...inAccount.map(ofInstallation),
  route({
    method: "POST",
    path: "/accounts/{account}/users",
    tag,
    summary: "Create a user",
    description:
      "The user has no password yet, and cannot log in before one is set. In the whole installation, only one user can have this address.",
    action: createUser,
    body: Input({ email: Email, name: Type.Optional(Name), role: OneOf(accountRoles) }),
    args: ({ params, body: { name, ...body } }) => ({ ...params, name: name ?? "", ...body }),
    ...versioned,
    status: 201,
  }),
  route({
    method: "POST",
    path: "/users",
    tag,
    summary: "Create a user without a role",
    action: createUser,
    isOfInstallation: true,
    body: Input({ email: Email, name: Type.Optional(Name) }),
    args: ({ body: { email, name } }) => ({ account: null, role: null, email, name: name ?? "" }),
    ...versioned,
    status: 201,
  }),
  route({
    method: "PUT",
    path: "/accounts/{account}/users/{user}/role",
    tag,
    summary: "Give a user a role in an account, or take it away",
    description: "Only an administrator can give a role to a user who has none in this account yet.",
    action: setUserRole,
    body: Input({ role: Nullable(OneOf(accountRoles, "null: takes the role away.")) }),
    args: ({ params: { account, user }, body }) => ({ account, id: user, ...body }),
    ...versioned,
  }),
  route({
    method: "PUT",
    path: "/users/{user}/administrator",
    tag,
    summary: "Make a user an administrator, or an ordinary user again",
    action: setAdministrator,
    body: Input({ isAdministrator: Type.Boolean() }),
    args: ({ params: { user }, body }) => ({ id: user, ...body }),
    ...shown,
    thing: "user",
  }),
];
