/** Everything that is stored about a person, as the API exports it. */
import { type Static, Type } from "typebox";
import { personDocument } from "#admin/subscribers/person-document.ts";
import type { Person } from "#admin/subscribers/record.ts";
import { accountRoles } from "#domain/access/user.ts";
import { recipientStates, skipReasons } from "#domain/sending/recipient.ts";
import { ActorSchema } from "../kit/actor.ts";
import {
  allWritten,
  camel,
  Id,
  Named,
  Nullable,
  OneOf,
  OneOfCamel,
  Time,
  textOrNull,
} from "../kit/schemas.ts";
import { SubscriberSchema } from "./subscriber-record.ts";
import { SuppressionsSchema } from "./subscriber-schemas.ts";
import { EventWord } from "./webhooks.ts";

const Key = Type.Object({
  id: Id(),
  name: Nullable(Type.String()),
  hint: Nullable(Type.String({ description: "The first four characters of the key." })),
});
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
export const PersonSchema = Named("Person", {
  exportedAt: Time(),
  email: Type.String(),
  subscriber: Nullable(SubscriberSchema),
  campaigns: Type.Array(Sent, {
    description:
      "The campaigns that Mailroll sent to the subscriber, or did not send, and why. Oldest first.",
  }),
  providerEvents: Type.Array(
    Type.Object({
      event: EventWord(),
      at: Time(),
      senderId: Id("The sender whose provider told it."),
      campaign: Nullable(Type.Object({ id: Id() })),
      detail: Nullable(Type.String({ description: "The words of the server or the provider." })),
    }),
    { description: "What mail providers told about the address in the last weeks. Newest first." },
  ),
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
export function toPerson(found: Person): Static<typeof PersonSchema> {
  const { campaigns, refusedCalls, user, providerEvents, ...person } = personDocument(found);
  return {
    ...allWritten(person),
    campaigns: campaigns.map(({ skipReason, ...sent }) => ({
      ...allWritten(sent),
      skipReason: skipReason && camel(skipReason),
    })),
    providerEvents: providerEvents.map(({ senderId, ...event }) => ({
      ...allWritten(event),
      senderId: String(senderId),
    })),
    // What a caller sent stays as it is.
    refusedCalls: refusedCalls.map(({ arguments: args, outcome, ...call }) => ({
      ...allWritten(call),
      outcome: camel(outcome),
      arguments: args,
    })),
    user: user && { ...allWritten(user), name: textOrNull(user.name) },
  };
}
