/** Sessions of users in the console, and links that begin one. */
import { Type } from "typebox";
import { endMySession, listMySessions, type OwnSession, setMe } from "../../../../admin/users/sessions.ts";
import { linkUser } from "../../../../admin/users/sign-in.ts";
import { Named } from "../../kit/named.ts";
import { route } from "../../kit/route.ts";
import { Collection, Id, Input, Nullable, onePage, Time, time } from "../../kit/schemas.ts";
import { toUser, UserSchema } from "./schemas.ts";

const tag = "You";

const SessionSchema = Named("Session", {
  id: Id(),
  program: Type.String({ description: "The browser.", examples: ["Firefox"] }),
  clientAddress: Type.String({ description: "The IP address of the sign-in." }),
  createdAt: Time(),
  lastUsedAt: Time("Updated a few seconds after a request."),
  expiresAt: Time("When it ends at the latest. It ends sooner if it is not used for a day."),
  isCurrent: Type.Boolean({ description: "Whether it is that of this request: never, with a token." }),
});
const toSession = (session: OwnSession) => ({
  id: String(session.id),
  program: session.program,
  clientAddress: session.client,
  createdAt: time(session.createdAt),
  lastUsedAt: time(session.lastUsedAt),
  expiresAt: time(session.expiresAt),
  isCurrent: session.isCurrent,
});

export const sessionRoutes = [
  route({
    method: "PATCH",
    path: "/me",
    tag,
    summary: "Change your name or time zone",
    action: setMe,
    body: Input({
      name: Type.Optional(Nullable(Type.String({ description: "null: none." }))),
      timeZone: Type.Optional(
        Nullable(Type.String({ description: "null: UTC.", examples: ["Europe/Berlin"] })),
      ),
    }),
    args: ({ body: { name, ...body } }) => (name === undefined ? body : { ...body, name: name ?? "" }),
    status: 200,
    reply: UserSchema,
    answer: toUser,
  }),
  route({
    method: "GET",
    path: "/me/sessions",
    tag,
    summary: "List your sessions in the console",
    action: listMySessions,
    args: () => ({}),
    status: 200,
    reply: Collection(SessionSchema),
    answer: (sessions) => onePage(sessions, toSession),
  }),
  route({
    method: "POST",
    path: "/me/sessions/{session}/end",
    tag,
    summary: "End one of your sessions in the console",
    description: "Needs the token of a log-in with a password.",
    action: endMySession,
    args: ({ params }) => params,
    status: 204,
    answer: () => undefined,
  }),
  route({
    method: "POST",
    path: "/users/{user}/sign-in-link",
    tag: "Users",
    summary: "Create a link with which a user signs in to the console",
    description:
      "The link works once, within 15 minutes. Anybody who has it acts as that user. For a user who has no password yet, it is the way to set one.",
    action: linkUser,
    args: ({ params }) => ({ id: params.user }),
    status: 201,
    reply: Type.Object({
      path: Type.String({
        description: "The path of the link, without the host. It is never shown again.",
        examples: ["/console/link?token=…"],
      }),
      expiresAt: Time(),
    }),
    answer: ({ secret, expiresAt }, { base }) => ({
      path: `${base.replace(/\/api\/v2$/, "")}/console/link?token=${secret}`,
      expiresAt: time(expiresAt),
    }),
    hasSecret: true,
  }),
];
