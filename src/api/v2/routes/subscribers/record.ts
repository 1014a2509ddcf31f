/** A subscriber with everything that belongs to it. */
import { type Static, Type } from "typebox";
import { originOfValue } from "#admin/actor-names.ts";
import type { Names } from "#admin/subscribers/names.ts";
import { campaignEvents } from "#domain/campaign.ts";
import type { CampaignResult, SubscriberRecord } from "#domain/ports/subscribers.ts";
import { genders } from "#domain/subscriber/gender.ts";
import { membershipStatuses } from "#domain/subscriber/membership.ts";
import { ActorSchema, actorOrNull } from "../../kit/actor.ts";
import { Named } from "../../kit/named.ts";
import { Id, Nullable, OneOf, Time, textOrNull, time } from "../../kit/schemas.ts";
import { HistorySchema, Reference, toHistory } from "./history.ts";
import { State, SuppressionsSchema, toSuppressions } from "./schemas.ts";

const Value = Type.Object({
  field: Type.Object({ id: Id(), name: Type.String() }),
  value: Type.String(),
  at: Time("When it was set."),
  actor: Nullable(Type.Object(ActorSchema.properties, { description: "Who set it; null if not known." })),
});
const Membership = Type.Object({
  id: Id("The id of the list."),
  name: Type.String(),
  joinedAt: Time(),
  status: OneOf(membershipStatuses),
  isCounted: Type.Boolean({
    description: "Whether the membership counts: it is active, and the subscriber has no suppression.",
  }),
});

export const ResultSchema = Named("CampaignResult", {
  campaign: Reference,
  event: OneOf(campaignEvents),
  at: Time(),
  joinedAt: Time(),
});

export const SubscriberSchema = Named("Subscriber", {
  id: Id(),
  email: Type.String(),
  state: State,
  createdAt: Time("Since when the address is a subscriber of the account."),
  firstName: Nullable(Type.String()),
  lastName: Nullable(Type.String()),
  gender: Nullable(OneOf(genders)),
  birthday: Nullable(Type.String({ format: "date" })),
  country: Nullable(Type.String({ description: "As ISO 3166-1 alpha-2.", examples: ["GB"] })),
  imported: Type.Array(Type.String(), {
    description: "The names of those values above that were last set by an import.",
  }),
  suppressions: SuppressionsSchema,
  values: Type.Array(Value),
  lists: Type.Array(Membership),
  history: Type.Array(HistorySchema, { description: "Oldest first." }),
  campaignResults: Type.Array(ResultSchema),
});

const toValue = (stored: SubscriberRecord["values"][number], names: Names) => ({
  field: { id: String(stored.field), name: stored.name },
  value: stored.value,
  at: time(stored.at),
  actor: actorOrNull(originOfValue(stored), names),
});

export const toResult = ({ campaign, name, event, at, joinedAt }: CampaignResult) => ({
  campaign: { id: String(campaign), name },
  event,
  at: time(at),
  joinedAt: time(joinedAt),
});

export const toSubscriber = (
  { data, suppressions, values, lists, history, losses, ...record }: SubscriberRecord,
  names: Names,
): Static<typeof SubscriberSchema> => ({
  id: String(record.id),
  email: record.address,
  state: record.state,
  createdAt: time(record.knownSince),
  ...data,
  firstName: textOrNull(data.firstName),
  lastName: textOrNull(data.lastName),
  imported: [...record.imported],
  suppressions: toSuppressions(suppressions),
  values: values.map((value) => toValue(value, names)),
  lists: lists.map(({ id, name, joinedAt, status, counts }) => ({
    id: String(id),
    name,
    joinedAt: time(joinedAt),
    status,
    isCounted: counts,
  })),
  history: history.map((entry) => toHistory(entry, names)),
  campaignResults: losses.map(toResult),
});
