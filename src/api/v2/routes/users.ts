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
import { idsOf, ofInstallation, type Route, route } from "../kit/route.ts";
import { Input, Nullable, noReply, OneOf, pageOfFew, pageOfRows } from "../kit/schemas.ts";
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
  toToken,
  toUser,
  UserSchema,
} from "./user-schemas.ts";
import { userSessionRoutes } from "./user-sessions.ts";

/** Passwords, second factors and tokens of other users. */

const credentialRoutes: readonly Route[] = [
  route("PUT /accounts/{account}/users/{user}/password", {
    summary: "Set the password of a user",
    description: "The user is logged out everywhere. Tokens that were not created by a log-in keep working.",
    action: setUserPassword,
    body: Input({ password: Password }),
    takesPassword: true,
    reply: UserSchema,
    answer: toUser,
  }),
  route("POST /accounts/{account}/users/{user}/totp", {
    summary: "Enrol a second factor for a user",
    action: enrolUserTotp,
    status: 201,
    reply: Enrolment,
    answer: (enrolment) => enrolment,
    hasSecret: true,
  }),
  route("POST /accounts/{account}/users/{user}/totp/confirm", {
    summary: "Confirm the second factor of a user",
    action: confirmUserTotp,
    body: Input({ code: Code }),
    reply: RecoveryCodes,
    answer: ({ recoveryCodes }) => ({ recoveryCodes: [...recoveryCodes] }),
    hasSecret: true,
  }),
  route("POST /accounts/{account}/users/{user}/totp/remove", {
    summary: "Remove the second factor of a user",
    action: removeUserTotp,
    ...noReply,
  }),
  route("GET /accounts/{account}/users/{user}/tokens", {
    summary: "List the tokens of a user",
    action: listUserTokens,
    ...pageOfFew(TokenSchema, toToken),
  }),
  route("POST /accounts/{account}/users/{user}/tokens", {
    summary: "Create a token for a user",
    description: "A program with the token acts as that user.",
    action: createUserToken,
    body: NewToken,
    args: ({ params, body }) => ({ ...idsOf(params), ...tokenInput(body) }),
    status: 201,
    reply: CreatedTokenSchema,
    answer: toCreatedToken,
    hasSecret: true,
  }),
  route("POST /accounts/{account}/users/{user}/tokens/{token}/revoke", {
    summary: "Revoke a token of a user",
    action: revokeUserToken,
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

const ENDS_INVITATION =
  "An open invitation ends when its user gets a role in a further account or becomes an administrator; `invitationExpiresAt` is null then: invite the user again.";

/** What there is in an account, and again in the installation, for administrators. */
const inAccount: readonly Route[] = [
  route("GET /accounts/{account}/users", {
    summary: "List users",
    action: listUsers,
    ...pageOfRows(UserSchema, toUser),
  }),
  route("POST /accounts/{account}/users:find", {
    summary: "Find a user by e-mail address",
    action: findUserByAddress,
    body: Input({ email: Email }),
    ...shown,
  }),
  route("GET /accounts/{account}/users/{user}", {
    summary: "Show a user",
    action: showUser,
    ...versioned,
  }),
  route("PATCH /accounts/{account}/users/{user}", {
    summary: "Change the name of a user",
    action: setUser,
    body: Input({ name: Name }),
    args: ({ params, body }) => ({ ...idsOf(params), name: body.name ?? "" }),
    ...versioned,
  }),
  route("POST /accounts/{account}/users/{user}/disable", {
    summary: "Disable a user",
    description: "The user can no longer log in. From the next request on, tokens of the user do not work.",
    action: disableUser,
    ...versioned,
  }),
  route("POST /accounts/{account}/users/{user}/enable", {
    summary: "Enable a user",
    description: "Tokens that were not revoked and have not expired work again.",
    action: enableUser,
    ...versioned,
  }),
  ...credentialRoutes,
  ...userSessionRoutes,
];

export const userRoutes: readonly Route[] = [
  ...inAccount,
  ...inAccount.map((one) => ofInstallation(one, { summary: `${one.summary}, in the whole installation` })),
  route("POST /accounts/{account}/users", {
    summary: "Create a user",
    description:
      "The user has no password yet, and cannot log in before one is set. In the whole installation, only one user can have this address.",
    action: createUser,
    body: Input({ email: Email, name: Type.Optional(Name), role: OneOf(accountRoles) }),
    args: ({ params, body: { name, ...body } }) => ({ ...params, name: name ?? "", ...body }),
    ...versioned,
    status: 201,
  }),
  route("POST /users", {
    summary: "Create a user without a role",
    action: createUser,
    isOfInstallation: true,
    body: Input({ email: Email, name: Type.Optional(Name) }),
    args: ({ body: { email, name } }) => ({ account: null, role: null, email, name: name ?? "" }),
    ...versioned,
    status: 201,
  }),
  route("PUT /accounts/{account}/users/{user}/role", {
    summary: "Give a user a role in an account, or take it away",
    description: `Only an administrator can give a role to a user who has none in this account yet. ${ENDS_INVITATION}`,
    action: setUserRole,
    body: Input({ role: Nullable(OneOf(accountRoles, "null: takes the role away.")) }),
    ...versioned,
  }),
  route("PUT /users/{user}/administrator", {
    summary: "Make a user an administrator, or an ordinary user again",
    description: ENDS_INVITATION,
    action: setAdministrator,
    body: Input({ isAdministrator: Type.Boolean() }),
    ...shown,
    thing: "user",
  }),
];
