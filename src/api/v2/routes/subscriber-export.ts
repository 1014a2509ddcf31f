/** Everything that is stored about a person, as the API exports it. */
import { type Static, Type } from "typebox";
import type { Names } from "#admin/subscribers/names.ts";
import type { Person } from "#admin/subscribers/record.ts";
import { originOfActor } from "#domain/access/audit.ts";
import type { KeyId } from "#domain/access/key.ts";
import { accountRoles } from "#domain/access/user.ts";
import { recipientStates, type SentCampaign, skipReasons } from "#domain/sending/recipient.ts";
import { ActorSchema, actorOrNull } from "../kit/actor.ts";
import {
  camel,
  Id,
  Named,
  Nullable,
  OneOf,
  OneOfCamel,
  Time,
  textOrNull,
  time,
  timeOrNull,
} from "../kit/schemas.ts";
import { SubscriberSchema, toSubscriber } from "./subscriber-record.ts";
import { SuppressionsSchema, toSuppressions } from "./subscriber-schemas.ts";

const Key = Type.Object({
  id: Id(),
  name: Nullable(Type.String()),
  hint: Nullable(Type.String({ description: "The first four characters of the key." })),
});
const toKey = (id: KeyId, { keys }: Names) => {
  const key = keys.find((one) => one.id === id);
  return { id: String(id), name: textOrNull(key?.label ?? ""), hint: key?.hint ?? null };
};

const Sent = Named("SentCampaign", {
  campaign: Type.Object({ id: Id(), name: Type.String() }),
  state: OneOf(recipientStates),
  at: Time("When the recipient got into this state."),
  code: Nullable(Type.Integer({ description: "The code of the relay's reply, such as 550." })),
  skipReason: Nullable(OneOfCamel(skipReasons, "Why nothing was sent.")),
  reply: Nullable(Type.String({ description: "What the relay said, if it did not accept the message." })),
  retry: Nullable(
    Type.Object(
      {
        dueAt: Time(),
        attempts: Type.Integer({ description: "How often it was deferred." }),
        firstAt: Nullable(Time("When the first attempt was; null if nothing has reached the relay yet.")),
      },
      { description: "When it is tried again." },
    ),
  ),
  earlier: Nullable(
    Type.Object(
      {
        state: OneOf(recipientStates),
        at: Time(),
        code: Nullable(Type.Integer()),
        reply: Nullable(Type.String()),
      },
      { description: "What the recipient was before a retry of failed or unknown recipients." },
    ),
  ),
});
const toSent = ({ campaign, name, state, at, code, skipped, reply, retry, earlier }: SentCampaign) => ({
  campaign: { id: String(campaign), name },
  state,
  at: time(at),
  code,
  skipReason: skipped === null ? null : camel(skipped),
  reply,
  retry: retry && { dueAt: time(retry.dueAt), attempts: retry.attempts, firstAt: timeOrNull(retry.firstAt) },
  earlier: earlier && { ...earlier, at: time(earlier.at) },
});

export const PersonSchema = Named("Person", {
  exportedAt: Time(),
  email: Type.String(),
  subscriber: Nullable(SubscriberSchema),
  campaigns: Type.Array(Sent, {
    description:
      "The campaigns that Mailroll sent to the subscriber, or did not send, and why. Oldest first.",
  }),
  remainingSuppressions: Nullable(SuppressionsSchema),
  blocks: Type.Array(Type.Object({ pattern: Type.String(), createdAt: Time() })),
  blockChanges: Type.Array(
    Type.Object({
      at: Time(),
      action: Type.String({ examples: ["block.add"] }),
      actor: Nullable(ActorSchema),
    }),
    { description: "Who added and removed blocks of this address." },
  ),
  refusedCalls: Type.Array(
    Type.Object({
      id: Id(),
      operation: Type.String(),
      outcome: Type.String(),
      callCount: Type.Integer(),
      firstAt: Time(),
      lastAt: Time(),
      isCut: Type.Boolean({ description: "Whether the arguments were too long to be stored in full." }),
      arguments: Type.Unknown({
        description: "The arguments as the caller sent them; incomplete if `isCut` is true.",
      }),
      key: Nullable(Key),
    }),
  ),
  user: Nullable(
    Type.Object(
      {
        id: Id(),
        name: Nullable(Type.String()),
        role: OneOf(accountRoles),
        createdAt: Time(),
        disabledAt: Nullable(Time()),
      },
      { description: "The user of this account with the same address; null if there is none." },
    ),
  ),
});
export const toPerson = (found: Person): Static<typeof PersonSchema> => ({
  exportedAt: time(found.exportedAt),
  email: found.address,
  subscriber: found.record === null ? null : toSubscriber(found.record, found.names),
  campaigns: found.campaigns.map(toSent),
  remainingSuppressions: found.kept === null ? null : toSuppressions(found.kept),
  blocks: found.blocks.map(({ pattern, createdAt }) => ({ pattern, createdAt: time(createdAt) })),
  blockChanges: found.blockChanges.map(({ at, action, actor }) => ({
    at: time(at),
    action,
    actor: actorOrNull(originOfActor(actor), found.names),
  })),
  refusedCalls: found.refusedCalls.map(
    ({ id, key, operation, outcome, count, isCut, args, firstAt, lastAt }) => ({
      id: String(id),
      operation,
      outcome: camel(outcome),
      callCount: count,
      firstAt: time(firstAt),
      lastAt: time(lastAt),
      isCut,
      arguments: readable(args),
      key: key === null ? null : toKey(key, found.names),
    }),
  ),
  user: found.user === null ? null : toUserOfAccount(found.user),
});
const toUserOfAccount = ({ id, name, role, createdAt, disabledAt }: NonNullable<Person["user"]>) => ({
  id: String(id),
  name: textOrNull(name),
  role,
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
