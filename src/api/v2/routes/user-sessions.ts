/** Sessions of users in the console, and links that begin one. */
import { Type } from "typebox";
import {
  endMySession,
  endUserSession,
  listMySessions,
  listUserSessions,
  type OwnSession,
  setMe,
} from "#admin/users/sessions.ts";
import { inviteUser, linkUser, withdrawInvitation } from "#admin/users/sign-in.ts";
import type { CreatedLink } from "#auth/users/sign-in-links.ts";
import type { Session } from "#domain/access/session.ts";
import { type Route, route } from "../kit/route.ts";
import { Id, Input, Named, Nullable, noReply, pageOfFew, Time, time, written } from "../kit/schemas.ts";
import { toUser, UserSchema } from "./user-schemas.ts";

const session = {
  id: Id(),
  program: Type.String({ description: "The browser.", examples: ["Firefox"] }),
  clientAddress: Type.String({ description: "The IP address of the sign-in." }),
  createdAt: Time(),
  lastUsedAt: Time("Updated a few seconds after a request."),
  expiresAt: Time("When it ends at the latest. It ends sooner if it is not used for a day."),
};
const UserSession = Named("UserSession", session);
const OwnSessionSchema = Named("OwnSession", {
  ...session,
  isCurrent: Type.Boolean({ description: "Whether it is that of this request: never, with a token." }),
});
const toSession = ({ client, ...one }: Session) => ({ ...written(one), clientAddress: client });
const toOwnSession = (one: OwnSession) => ({ ...toSession(one), isCurrent: one.isCurrent });

export const sessionRoutes = [
  route("PATCH /me", {
    summary: "Change your name or time zone",
    action: setMe,
    body: Input({
      name: Type.Optional(Nullable(Type.String({ description: "null: none." }))),
      timeZone: Type.Optional(
        Nullable(Type.String({ description: "null: UTC.", examples: ["Europe/Berlin"] })),
      ),
    }),
    args: ({ body: { name, ...body } }) => (name === undefined ? body : { ...body, name: name ?? "" }),
    reply: UserSchema,
    answer: toUser,
  }),
  route("GET /me/sessions", {
    summary: "List your sessions in the console",
    action: listMySessions,
    ...pageOfFew(OwnSessionSchema, toOwnSession),
  }),
  route("POST /me/sessions/{session}/end", {
    summary: "End one of your sessions in the console",
    description: "Needs the token of a log-in with a password.",
    action: endMySession,
    ...noReply,
  }),
];

/** What a link is answered with. */
const link = {
  status: 201,
  reply: Type.Object({
    path: Type.String({
      description: "The path of the link, without the host. It is never shown again.",
      examples: ["/console/link?token=…"],
    }),
    expiresAt: Time(),
  }),
  answer: ({ secret, expiresAt }: CreatedLink, { base }: { readonly base: string }) => ({
    path: `${base.replace(/\/api\/v2$/, "")}/console/link?token=${secret}`,
    expiresAt: time(expiresAt),
  }),
  hasSecret: true,
} as const;

/** In an account, and again in the installation. */
export const userSessionRoutes: readonly Route[] = [
  route("GET /accounts/{account}/users/{user}/sessions", {
    summary: "List the sessions of a user in the console",
    action: listUserSessions,
    ...pageOfFew(UserSession, toSession),
  }),
  route("POST /accounts/{account}/users/{user}/sessions/{session}/end", {
    summary: "End a session of a user in the console",
    action: endUserSession,
    ...noReply,
  }),
  route("POST /accounts/{account}/users/{user}/sign-in-link", {
    summary: "Create a link with which a user signs in to the console",
    description:
      "The link works once, within 15 minutes. Anybody who has it acts as that user, unless the user has a second factor: then the link also asks for a code. For a user who has forgotten the password, it is the way to set a new one: for 15 minutes after signing in, without the current one.",
    action: linkUser,
    ...link,
  }),
  route("POST /accounts/{account}/users/{user}/invitation", {
    summary: "Invite a user, who sets a password",
    description:
      "Creates a link with which a user who has no password sets one. It works once, within seven days, and replaces the earlier one.",
    action: inviteUser,
    ...link,
  }),
  route("POST /accounts/{account}/users/{user}/invitation/withdraw", {
    summary: "Withdraw the invitation of a user",
    action: withdrawInvitation,
    ...noReply,
  }),
];
