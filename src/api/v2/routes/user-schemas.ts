/** Users and tokens as the API shows them. */
import { Type } from "typebox";
import type { CreatedToken, TokenInput } from "#admin/users/tokens.ts";
import type { UserToken } from "#domain/access/session.ts";
import { accountRoles, type Role, roles, type User } from "#domain/access/user.ts";
import {
  Id,
  Named,
  NamedInput,
  Nullable,
  OneOf,
  readTimeOrNull,
  Time,
  textOrNull,
  written,
} from "../kit/schemas.ts";

export const UserSchema = Named("User", {
  id: Id(),
  email: Type.String(),
  name: Nullable(Type.String({ description: "The name of the person; null: none was given." })),
  isAdministrator: Type.Boolean(),
  roles: Type.Array(Type.Object({ accountId: Id(), role: OneOf(accountRoles) }), {
    description: "The user's roles, in the accounts that you may see.",
  }),
  createdAt: Time(),
  disabledAt: Nullable(Time()),
  passwordSetAt: Nullable(Time("null: the user cannot log in with a password.")),
  totpSetAt: Nullable(
    Time("When the second factor was confirmed: since then, a log-in needs a code. null: it needs none."),
  ),
  isTotpPending: Type.Boolean({
    description: "Whether a second factor was enrolled, but is not confirmed yet.",
  }),
  invitationExpiresAt: Nullable(
    Time("When the invitation ends, or has ended lately, of a user without a password. null: there is none."),
  ),
  timeZone: Nullable(
    Type.String({
      description: "The time zone in which the console shows times; null: UTC.",
      examples: ["Europe/Berlin"],
    }),
  ),
});
export const toUser = (user: User) => ({
  ...written({ ...user, totpSetAt: user.totpSince }),
  name: textOrNull(user.name),
  roles: user.roles.map(({ account, role }) => ({ accountId: String(account), role })),
});

const tokenMembers = {
  id: Id(),
  name: Type.String(),
  role: OneOf(
    roles,
    "The highest role that requests with this token can have. If the user's own role is lower, that one applies.",
  ),
  isLogIn: Type.Boolean({ description: "Whether the token was created by a log-in with a password." }),
  createdAt: Time(),
  expiresAt: Nullable(Time()),
  revokedAt: Nullable(Time()),
  lastUsedAt: Nullable(Time("Updated a few seconds after a request.")),
};
export const TokenSchema = Named("Token", tokenMembers);
export const CreatedTokenSchema = Named("CreatedToken", {
  ...tokenMembers,
  secret: Type.String({ description: "The token itself. It is never shown again.", examples: ["mrt_…"] }),
});
export const toToken = (token: UserToken) => written(token);
export const toCreatedToken = ({ token, secret }: CreatedToken) => ({ ...toToken(token), secret });

export const NewToken = NamedInput("NewToken", {
  name: Type.String({ description: "What the token is for.", examples: ["Nightly report"] }),
  role: Type.Optional(
    Nullable(
      OneOf(
        roles,
        "The highest role that requests with this token can have. null or absent: the user's highest role at this time.",
      ),
    ),
  ),
  expiresAt: Type.Optional(Nullable(Time("When it stops working; null or absent: never."))),
});
interface GivenToken {
  readonly name: string;
  readonly role?: Role | null | undefined;
  readonly expiresAt?: string | null | undefined;
}
export const tokenInput = ({ name, role = null, expiresAt = null }: GivenToken): TokenInput => ({
  name,
  role,
  expiresAt: readTimeOrNull(expiresAt),
});

export const Password = Type.String({
  description: "12 to 256 characters, at least four different ones, and not the e-mail address.",
  examples: ["correct horse battery"],
});
export const Enrolment = Named("TotpEnrolment", {
  secret: Type.String({
    description: "The secret to type into an authenticator app. It is never shown again.",
  }),
  uri: Type.String({ description: "The secret as a URI, to be shown as a QR code." }),
});
export const RecoveryCodes = Named("RecoveryCodes", {
  recoveryCodes: Type.Array(Type.String(), {
    description: "Each code can replace the code of the authenticator app once. They are never shown again.",
  }),
});
export const Code = Type.String({ description: "The current code of the authenticator app." });
