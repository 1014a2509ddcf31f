/** A subscriber with everything that belongs to it. */
import { type Static, Type } from "typebox";
import type { Names } from "#admin/subscribers/names.ts";
import { historyDocument, recordDocument, resultDocument } from "#admin/subscribers/person-document.ts";
import {
  listCampaignResults,
  listHistory,
  SHOWN_HISTORY,
  showSubscriber,
} from "#admin/subscribers/record.ts";
import { campaignEvents } from "#domain/campaign.ts";
import type { CampaignResult, SubscriberRecord } from "#domain/ports/subscribers.ts";
import { historyKinds } from "#domain/subscriber/history.ts";
import { genders, membershipStatuses } from "#domain/subscriber/subscriber.ts";
import { ActorSchema } from "../kit/actor.ts";
import { idsOf, route } from "../kit/route.ts";
import {
  allWritten,
  Collection,
  collection,
  Id,
  Named,
  Nullable,
  OneOf,
  pageOf,
  pageOfRows,
  pageQuery,
  Time,
} from "../kit/schemas.ts";
import { State, SuppressionsSchema } from "./subscriber-schemas.ts";

// An entry of a subscriber's history, and values that were replaced.

/** A thing that may be gone, with the name that it has now. */
const Reference = Type.Object({
  id: Id(),
  name: Nullable(Type.String({ description: "null: it was deleted." })),
});

export const Replaced = Type.Object({
  field: Type.Object({
    id: Nullable(Id("null: a standard value, such as `firstName`.")),
    name: Type.String({ description: "Of a custom field, or of a standard value." }),
  }),
  old: Nullable(Type.String({ description: "null: there was no value." })),
  new: Nullable(Type.String({ description: "null: the value was cleared." })),
});
const HistorySchema = Named("HistoryEntry", {
  at: Time(),
  kind: OneOf(historyKinds),
  actor: ActorSchema,
  campaign: Nullable(Reference),
  list: Nullable(Reference),
  detail: Nullable(
    Type.String({
      description: "The reason, the suppression that was cleared, or the pattern of the block.",
    }),
  ),
  replaced: Nullable(Type.Array(Replaced, { description: "null if no values were replaced." })),
});

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

const ResultSchema = Named("CampaignResult", {
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

export const toSubscriber = (record: SubscriberRecord, names: Names): Static<typeof SubscriberSchema> =>
  allWritten(recordDocument(record, names));

/** What happened to a subscriber: the newest with the subscriber, and all of it in pages. */
const ShownSubscriber = Type.Object({
  ...SubscriberSchema.properties,
  history: Type.Array(HistorySchema, { description: `At most ${SHOWN_HISTORY} entries, the newest first.` }),
  hasMoreHistory: Type.Boolean({ description: "Whether there are older entries: see `…/history`." }),
  campaignResults: Type.Array(ResultSchema, {
    description: `At most ${SHOWN_HISTORY} results, those of the newest campaign first.`,
  }),
  hasMoreCampaignResults: Type.Boolean({
    description: "Whether there are more results: see `…/campaign-results`.",
  }),
});

export const shownSubscriberRoutes = [
  route("GET /accounts/{account}/subscribers/{subscriber}", {
    summary: "Show a subscriber",
    description: `With custom values, lists, suppressions, and the newest ${SHOWN_HISTORY} entries of the history and results of campaigns.`,
    action: showSubscriber,
    reply: ShownSubscriber,
    answer: ({ record, names, hasMoreHistory, hasMoreCampaignResults }) => ({
      ...toSubscriber(record, names),
      hasMoreHistory,
      hasMoreCampaignResults,
    }),
    thing: "subscriber",
    versioned: ({ record }) => record,
  }),
  route("GET /accounts/{account}/subscribers/{subscriber}/history", {
    summary: "List what happened to a subscriber",
    description:
      "The entry that was recorded last comes first. The time of an entry can be earlier than that of the next one: imports and campaign events can be recorded later than they happened.",
    action: listHistory,
    query: Type.Object(pageQuery),
    args: ({ params, query }) => ({ ...idsOf(params), ...pageOf(query) }),
    reply: Collection(HistorySchema),
    answer: ({ names, ...page }) => collection(page, (entry) => allWritten(historyDocument(entry, names))),
  }),
  route("GET /accounts/{account}/subscribers/{subscriber}/campaign-results", {
    summary: "List the campaign results of a subscriber",
    description: "Those of the campaign that was recorded last come first.",
    action: listCampaignResults,
    ...pageOfRows(ResultSchema, (result: CampaignResult) => allWritten(resultDocument(result))),
  }),
];
