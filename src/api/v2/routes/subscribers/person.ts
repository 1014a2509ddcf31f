/** Everything that is stored about a person, as the API exports it. */
import { type Static, Type } from "typebox";
import type { Person } from "../../../../admin/subscribers/record.ts";
import { userOfEntry } from "../../../../admin/users/user-names.ts";
import { originKinds } from "../../../../domain/origin.ts";
import { accountRoles } from "../../../../domain/role.ts";
import { Named } from "../../kit/named.ts";
import { Id, Nullable, OneOf, Time, time, timeOrNull } from "../../kit/schemas.ts";
import {
  KeySchema,
  SubscriberSchema,
  SuppressionsSchema,
  toKey,
  toSubscriber,
  toSuppressions,
  toUser,
  UserSchema,
} from "./schemas.ts";

export const PersonSchema = Named("Person", {
  exportedAt: Time(),
  email: Type.String(),
  subscriber: Nullable(SubscriberSchema),
  stillInForceAfterErasure: Nullable(SuppressionsSchema),
  blocks: Type.Array(Type.Object({ pattern: Type.String(), createdAt: Time() })),
  blockChanges: Type.Array(
    Type.Object({
      at: Time(),
      action: Type.String(),
      origin: OneOf(originKinds),
      operator: Nullable(Type.String()),
      user: Nullable(UserSchema),
    }),
    { description: "Who added and removed blocks of this address." },
  ),
  refusedCalls: Type.Array(
    Type.Object({
      id: Id(),
      operation: Type.String(),
      outcome: Type.String(),
      count: Type.Integer(),
      firstAt: Time(),
      lastAt: Time(),
      isCut: Type.Boolean({ description: "Whether the arguments were too long to be stored in full." }),
      arguments: Type.Unknown({
        description: "The arguments as the caller sent them; incomplete if `isCut` is true.",
      }),
      key: Nullable(KeySchema),
    }),
  ),
  user: Nullable(
    Type.Object(
      { name: Type.String(), role: OneOf(accountRoles), createdAt: Time(), disabledAt: Nullable(Time()) },
      { description: "The user of this account with the same address; null if there is none." },
    ),
  ),
});
export const toPerson = (found: Person): Static<typeof PersonSchema> => ({
  exportedAt: time(found.exportedAt),
  email: found.address,
  subscriber: found.record === null ? null : toSubscriber(found.record, found.names),
  stillInForceAfterErasure: found.kept === null ? null : toSuppressions(found.kept),
  blocks: found.blocks.map(({ pattern, createdAt }) => ({ pattern, createdAt: time(createdAt) })),
  blockChanges: found.blockChanges.map(({ at, action, actor, ...entry }) => ({
    at: time(at),
    action,
    origin: actor.kind,
    operator: actor.kind === "user" ? null : actor.name,
    user: toUser(userOfEntry({ at, action, actor, ...entry }), found.names),
  })),
  refusedCalls: found.refusedCalls.map(({ id, key, args, firstAt, lastAt, ...refusal }) => ({
    ...refusal,
    id: String(id),
    firstAt: time(firstAt),
    lastAt: time(lastAt),
    arguments: readable(args),
    key: toKey(key, found.names),
  })),
  user: found.user === null ? null : toUserOfAccount(found.user),
});
const toUserOfAccount = ({ createdAt, disabledAt, ...user }: NonNullable<Person["user"]>) => ({
  ...user,
  createdAt: time(createdAt),
  disabledAt: timeOrNull(disabledAt),
});
function readable(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
