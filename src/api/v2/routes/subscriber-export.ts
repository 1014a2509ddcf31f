/** Everything that is stored about a person, as the API exports it. */
import { type Static, Type } from "typebox";
import { personDocument } from "#admin/subscribers/person-document.ts";
import type { Person } from "#admin/subscribers/record.ts";
import { accountRoles } from "#domain/access/user.ts";
import { ActorSchema } from "../kit/actor.ts";
import { allWritten, camel, Id, Named, Nullable, OneOf, Time, textOrNull } from "../kit/schemas.ts";
import { SentSchema, SubscriberSchema, toSent } from "./subscriber-record.ts";
import { SuppressionsSchema } from "./subscriber-schemas.ts";
import { EventWord } from "./webhooks.ts";

const Key = Type.Object({
  id: Id(),
  name: Nullable(Type.String()),
  hint: Nullable(Type.String({ description: "The first four characters of the key." })),
});
export const PersonSchema = Named("Person", {
  exportedAt: Time(),
  email: Type.String(),
  subscriber: Nullable(SubscriberSchema),
  campaigns: Type.Array(SentSchema, {
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
    campaigns: campaigns.map(toSent),
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
