/** A subscriber with everything that belongs to it. */
import { type Static, Type } from "typebox";
import type { Names } from "#admin/subscribers/names.ts";
import {
  historyDocument,
  recordDocument,
  resultDocument,
  sentDocument,
} from "#admin/subscribers/person-document.ts";
import {
  listCampaignResults,
  listHistory,
  SHOWN_HISTORY,
  showSubscriber,
} from "#admin/subscribers/record.ts";
import { campaignEvents } from "#domain/campaign.ts";
import type { CampaignResult, SubscriberRecord } from "#domain/ports/subscribers.ts";
import { mailingStates } from "#domain/sending/mailing.ts";
import { recipientStates, skipReasons } from "#domain/sending/recipient.ts";
import { historyKinds } from "#domain/subscriber/history.ts";
import { genders, membershipStatuses } from "#domain/subscriber/subscriber.ts";
import { ActorSchema } from "../kit/actor.ts";
import { idsOf, route } from "../kit/route.ts";
import {
  allWritten,
  Collection,
  camel,
  collection,
  Id,
  Named,
  Nullable,
  OneOf,
  OneOfCamel,
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
  at: Time("When it happened. Of an import: as its file says, if it does."),
  importedAt: Nullable(
    Time("When the import began that has recorded it, if `at` is a time from its file; otherwise null."),
  ),
  kind: OneOf(historyKinds),
  actor: ActorSchema,
  campaign: Nullable(Reference),
  list: Nullable(Reference),
  detail: Nullable(
    Type.String({
      description:
        "The reason, the suppression that was cleared, the pattern of the block, or the import that was undone.",
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

export const SentSchema = Named("SentCampaign", {
  campaign: Type.Object({ id: Id(), name: Type.String(), state: OneOf(mailingStates) }),
  state: OneOf(recipientStates, "Of a cancelled campaign, who is `queued` or `deferred` does not get it."),
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
export const toSent = ({
  skipReason,
  ...sent
}: ReturnType<typeof sentDocument>): Static<typeof SentSchema> => ({
  ...allWritten(sent),
  skipReason: skipReason && camel(skipReason),
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
  campaigns: Type.Array(SentSchema, {
    description: `At most ${SHOWN_HISTORY} campaigns that Mailroll sent to the subscriber, or did not send, and why. The newest first.`,
  }),
  hasMoreCampaigns: Type.Boolean({ description: "Whether there are older campaigns: see `…/export`." }),
});

export const shownSubscriberRoutes = [
  route("GET /accounts/{account}/subscribers/{subscriber}", {
    summary: "Show a subscriber",
    description: `With custom values, lists, suppressions, and the newest ${SHOWN_HISTORY} entries of the history, results of campaigns, and campaigns.`,
    action: showSubscriber,
    reply: ShownSubscriber,
    answer: ({ record, names, campaigns, ...more }) => ({
      ...toSubscriber(record, names),
      ...more,
      campaigns: campaigns.map((sent) => toSent(sentDocument(sent))),
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
