/** What users do about themselves, and how they log in. */
import { Type } from "typebox";
import {
  changePassword,
  confirmMyTotp,
  createMyToken,
  enrolMyTotp,
  listMyTokens,
  logIn,
  removeMyTotp,
  revokeMyToken,
  showMe,
} from "#admin/users/me.ts";
import { route } from "../kit/route.ts";
import { Id, Input, idOrNull, Nullable, noReply, pageOfFew } from "../kit/schemas.ts";
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

const OwnPassword = Input({ password: Type.String({ description: "Your current password." }) });

/** Everybody may send it, so it is short. */
const LOG_IN_BODY_LIMIT = 4096;

export const meRoutes = [
  route("POST /log-in", {
    summary: "Log in with a password",
    description:
      "Needs no token. Returns a token that works for twelve hours. If the user has a second factor, also send a `code`.",
    action: logIn,
    body: Input({
      email: Type.String({ examples: ["ada@example.org"] }),
      password: Type.String(),
      code: Type.Optional(
        Type.String({ description: "The current code of the authenticator app, or a recovery code." }),
      ),
    }),
    bodyLimit: LOG_IN_BODY_LIMIT,
    logsIn: ({ body: { email, password, code = null } }) => ({ email, password, code }),
    takesPassword: true,
    args: () => ({}),
    status: 201,
    reply: CreatedTokenSchema,
    answer: toCreatedToken,
    hasSecret: true,
  }),
  route("GET /me", {
    summary: "Show who you are",
    action: showMe,
    reply: Type.Object({
      ...UserSchema.properties,
      tokenId: Nullable(Id("The id of the token of this request.")),
    }),
    answer: ({ user, token }) => ({ ...toUser(user), tokenId: idOrNull(token) }),
  }),
  route("PUT /me/password", {
    summary: "Change your password",
    description: "You are logged out everywhere else. Tokens that were not created by a log-in keep working.",
    action: changePassword,
    body: Input({ oldPassword: Type.String(), password: Password }),
    takesPassword: true,
    ...noReply,
  }),
  route("POST /me/totp", {
    summary: "Enrol a second factor",
    description:
      "Add the secret to an authenticator app, then confirm with a code. Until then, log-ins need no code.",
    action: enrolMyTotp,
    body: OwnPassword,
    takesPassword: true,
    status: 201,
    reply: Enrolment,
    answer: (enrolment) => enrolment,
    hasSecret: true,
  }),
  route("POST /me/totp/confirm", {
    summary: "Confirm a second factor",
    description:
      "From then on, a log-in needs a code. The reply has new recovery codes; earlier ones stop working.",
    action: confirmMyTotp,
    body: Input({ code: Code }),
    reply: RecoveryCodes,
    answer: ({ recoveryCodes }) => ({ recoveryCodes: [...recoveryCodes] }),
    hasSecret: true,
  }),
  route("POST /me/totp/remove", {
    summary: "Remove your second factor",
    action: removeMyTotp,
    body: OwnPassword,
    takesPassword: true,
    ...noReply,
  }),
  route("GET /me/tokens", {
    summary: "List your tokens",
    description:
      "Including revoked and expired tokens. The secret texts of the tokens are not stored, so they are not shown.",
    action: listMyTokens,
    ...pageOfFew(TokenSchema, toToken),
  }),
  route("POST /me/tokens", {
    summary: "Create a token",
    description: "Use the token of a log-in with a password: other tokens cannot create tokens.",
    action: createMyToken,
    body: NewToken,
    args: ({ body }) => tokenInput(body),
    status: 201,
    reply: CreatedTokenSchema,
    answer: toCreatedToken,
    hasSecret: true,
  }),
  route("POST /me/tokens/{token}/revoke", {
    summary: "Revoke one of your tokens",
    description:
      "From the next request on, the token does not work. To log out, revoke the token of your log-in.",
    action: revokeMyToken,
    reply: TokenSchema,
    answer: toToken,
  }),
];
