/** The ledger of a campaign: what became of it for each recipient. */
import { Type } from "typebox";
import { clearBounces, previewClearBounces } from "#admin/campaigns/campaigns.ts";
import { listRecipients, previewRetry, retryCampaign, verifyCampaign } from "#admin/campaigns/ledger.ts";
import type { RowCount } from "#admin/kit/paging.ts";
import { recipientStates, retriedStates, skipReasons } from "#domain/sending/recipient.ts";
import { jobOrNull, startsJob, WithJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import {
  Collection,
  camel,
  collection,
  Id,
  Input,
  Named,
  Nullable,
  OneOf,
  OneOfCamel,
  pageOf,
  pageQuery,
  readTimeOrNull,
  Time,
  time,
} from "../kit/schemas.ts";
import { RecipientCountsSchema, SendingSchema, toRecipientCounts, toSending } from "./campaign-schemas.ts";

const State = OneOf(recipientStates);
const Recipient = Named("CampaignRecipient", {
  subscriberId: Id(),
  email: Nullable(Type.String({ description: "null: the subscriber was erased." })),
  state: State,
  at: Time("When the recipient got into this state."),
  code: Nullable(Type.Integer({ description: "The code of the relay's reply, such as 550." })),
  skipReason: Nullable(OneOfCamel(skipReasons, "Why a skipped recipient got nothing.")),
  reply: Nullable(Type.String({ description: "What the relay said, if it did not accept the message." })),
});

const hasMore = Type.Boolean({ description: "true: counting stopped there, so there may be more." });
const RecipientCount = { recipientCount: Type.Integer(), hasMore };
const SubscriberCount = { subscriberCount: Type.Integer(), hasMore };
const From = Time("Only of bounces since this time.");
const toRecipientCount = ({ count, isMore }: RowCount) => ({ recipientCount: count, hasMore: isMore });

export const ledgerRoutes = [
  route("GET /accounts/{account}/campaigns/{campaign}/recipients", {
    summary: "List the recipients of a campaign",
    description: "In the order of their ids.",
    action: listRecipients,
    query: Type.Object({ state: Type.Optional(State), ...pageQuery }),
    args: ({ params, query: { state = null, ...page } }) => ({ ...params, state, ...pageOf(page) }),
    reply: Collection(Recipient),
    answer: (page) =>
      collection(page, ({ subscriber, address, skipped, at, state, code, reply }) => ({
        ...{ subscriberId: String(subscriber), email: address, state, at: time(at), code, reply },
        skipReason: skipped === null ? null : camel(skipped),
      })),
  }),
  route("GET /accounts/{account}/campaigns/{campaign}/retry-preview", {
    summary: "Count the recipients that a retry would try again",
    description: "Those in this state who may still get the message.",
    action: previewRetry,
    query: Type.Object({ state: OneOf(retriedStates) }),
    args: ({ params, query: { state } }) => ({ ...params, states: [state] }),
    reply: Type.Object(RecipientCount),
    answer: toRecipientCount,
  }),
  route("GET /accounts/{account}/campaigns/{campaign}/clear-bounces-preview", {
    summary: "Count the subscribers whose bounces in a campaign would be cleared",
    description: "Those who are suppressed because their address bounced in this campaign.",
    action: previewClearBounces,
    query: Type.Object({ from: Type.Optional(From) }),
    args: ({ params, query: { from } }) => ({ ...params, since: readTimeOrNull(from ?? null) }),
    inputs: { since: "from" },
    reply: Type.Object(SubscriberCount),
    answer: ({ count, isMore }) => ({ subscriberCount: count, hasMore: isMore }),
  }),
  route("POST /accounts/{account}/campaigns/{campaign}/clear-bounces", {
    summary: "Clear the hard bounces that a campaign has caused",
    description:
      "Use this if a relay wrongly reported existing addresses as nonexistent. A job makes the subscribers active again, unless something else suppresses them, with an entry in the history of each. The campaign keeps its events, and is not sent to them until it is retried.",
    action: clearBounces,
    body: Input({
      reason: Type.String({ description: "Why, for the history of each subscriber. One line." }),
      from: Type.Optional(From),
    }),
    args: ({ params, body: { reason, from } }) => ({
      ...params,
      reason,
      since: readTimeOrNull(from ?? null),
    }),
    inputs: { since: "from" },
    ...startsJob,
  }),
  route("POST /accounts/{account}/campaigns/{campaign}/retry", {
    summary: "Send again to recipients that failed or whose result is unknown",
    description:
      "Only those who may still get the message are tried again: nobody who has unsubscribed, bounced, complained, was blocked or left the lists. Somebody whose state is `unknown` may have got the message already, and then gets it twice. A campaign that has ended is being sent again. If it is then cancelled, recipients who were not reached are again what they were before; while a job restores them, another retry is refused with 409.",
    action: retryCampaign,
    body: Input({
      states: Type.Array(OneOf(retriedStates), { minItems: 1, maxItems: retriedStates.length }),
    }),
    args: ({ params, body: { states } }) => ({ ...params, states: [...new Set(states)] }),
    status: 202,
    reply: WithJob({ sending: SendingSchema, ...RecipientCount }),
    answer: ({ sending, job, ...counted }, { now }) => ({
      ...{ sending: toSending(sending), ...toRecipientCount(counted), job: jobOrNull(job, now) },
    }),
  }),
  route("GET /accounts/{account}/campaigns/{campaign}/balance", {
    summary: "Verify that the recipients of a campaign add up",
    description:
      "Counts the entries of all recipients, and compares them with the counters. It takes long for a large campaign.",
    action: verifyCampaign,
    reply: Type.Object({
      isBalanced: Type.Boolean({
        description: "Whether entries and counters agree, and add up to what was selected.",
      }),
      selectedCount: Type.Integer(),
      counters: RecipientCountsSchema,
      entries: RecipientCountsSchema,
      events: Type.Object(
        { bounced: Type.Integer(), unsubscribed: Type.Integer(), complained: Type.Integer() },
        { description: "What became known of these recipients later: they stay counted as `sent`." },
      ),
    }),
    answer: ({ mailing, rows, isBalanced, events }) => ({
      ...{ isBalanced, selectedCount: mailing.selected },
      ...{ counters: toRecipientCounts(mailing.counts), entries: toRecipientCounts(rows) },
      ...{ events },
    }),
  }),
];
