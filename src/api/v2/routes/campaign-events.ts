/** Events of a campaign: who bounced, unsubscribed or complained. */
import { type Static, Type } from "typebox";
import { listEvents, MAX_RECORDED_EVENTS, recordEvent, recordEvents } from "#admin/campaigns/events.ts";
import { campaignTotals, eventsPerDay, MAX_TOTALS } from "#admin/campaigns/results.ts";
import { DEFAULT_DAYS } from "#admin/statistics.ts";
import {
  type CampaignTotals,
  campaignEvents,
  MAX_COUNTED,
  MAX_EVENTS,
  type RecordedEvent,
} from "#domain/campaign.ts";
import { BatchSchema, batchReply } from "../kit/batch.ts";
import { type Route, route } from "../kit/route.ts";
import {
  Collection,
  collection,
  Id,
  Input,
  idOrNull,
  Named,
  NamedInput,
  Nullable,
  OneOf,
  pageOf,
  pageOfAll,
  pageOfRows,
  pageQuery,
  readTime,
  Time,
  textOrNull,
  written,
} from "../kit/schemas.ts";
import { counts, members, toCampaign } from "./campaigns.ts";
import { Day, daysOf, RANGE } from "./statistics.ts";

const Kind = OneOf(campaignEvents);
const Event = NamedInput("NewCampaignEvent", {
  event: Kind,
  email: Type.String({ examples: ["ada@example.org"] }),
  at: Type.Optional(Time("When it happened. If it is not given: now.")),
});
const toGiven = ({ event, email, at }: Static<typeof Event>) => ({
  event,
  email,
  at: at === undefined ? null : readTime(at),
});

const EventSubscriber = Named("CampaignEventSubscriber", {
  subscriberId: Id(),
  email: Type.String(),
  firstName: Nullable(Type.String()),
  lastName: Nullable(Type.String()),
  joinedAt: Time("When the subscriber had joined, as known at the time of the event."),
  at: Time("When the event happened."),
});
const toSubscriber = ({ subscriber, address, firstName, lastName, joinedAt, at }: RecordedEvent) => ({
  ...written({ subscriberId: subscriber, joinedAt, at }),
  email: address,
  firstName: textOrNull(firstName),
  lastName: textOrNull(lastName),
});

/** An event takes about 100 bytes; an address may have 254 characters of several bytes each. */
const BATCH_BODY_LIMIT = 1024 ** 2;

const batchRoute: Route = route("POST /accounts/{account}/campaigns/{campaign}/events:batch", {
  summary: "Record many events",
  description: `At most ${MAX_RECORDED_EVENTS}. Each event has a result of its own, in the order of the request. If an event is wrong, the others are still recorded.`,
  action: recordEvents,
  body: Input({ items: Type.Array(Event, { minItems: 1, maxItems: MAX_RECORDED_EVENTS }) }),
  bodyLimit: BATCH_BODY_LIMIT,
  args: ({ params, body }) => ({ ...params, events: body.items.map(toGiven) }),
  reply: BatchSchema,
  answer: (results, { base }) => batchReply(results, { ...batchRoute, body: Event }, base),
});

export const campaignEventRoutes = [
  route("GET /accounts/{account}/campaigns/{campaign}/events", {
    summary: "List the subscribers who bounced, unsubscribed or complained",
    description: "Oldest event first.",
    action: listEvents,
    query: Type.Object({ event: Kind, ...pageQuery }),
    args: ({ params, query: { event, ...page } }) => ({ ...params, event, ...pageOf(page) }),
    reply: Collection(EventSubscriber),
    answer: (page) => collection(page, toSubscriber),
  }),
  route("POST /accounts/{account}/campaigns/{campaign}/events", {
    summary: "Record a bounce, an unsubscribe or a complaint",
    description:
      "The subscriber is suppressed from then on. If the account has no subscriber with this address, one is created. Recording the same event again changes nothing. An unsubscribe of somebody who had unsubscribed before is not counted for the campaign.",
    action: recordEvent,
    body: Event,
    args: ({ params, body }) => ({ ...params, ...toGiven(body) }),
    reply: Type.Object({
      id: Nullable(Id("The id of the subscriber; null if the subscriber was erased in the meantime.")),
      email: Type.String(),
      isCounted: Type.Boolean({
        description: "Whether the campaign has this event of the subscriber, from now or from before.",
      }),
    }),
    answer: ({ id, address, isCounted }) => ({ id: idOrNull(id), email: address, isCounted }),
  }),
  batchRoute,
  route("GET /accounts/{account}/campaigns/{campaign}/events-per-day", {
    summary: "Count per day who bounced, unsubscribed or complained",
    description: `Every day of the range, the oldest first. Of each kind, the first ${MAX_EVENTS} events of the range are counted. ${RANGE}`,
    action: eventsPerDay,
    query: Type.Object({
      from: Type.Optional(
        Day(
          "The first day. Without it, the day on which the campaign was sent, or created if it was not sent.",
        ),
      ),
      to: Type.Optional(Day(`The last day. Without it, ${DEFAULT_DAYS} days from the first, up to today.`)),
      ...pageQuery,
    }),
    args: ({ params, query }) => ({ ...params, ...daysOf(query) }),
    reply: Collection(
      Type.Object({
        date: Day(),
        ...counts,
        isComplete: Type.Boolean({
          description: `false: the range has more than ${MAX_EVENTS} events of a kind, and those that are not counted may be of this day.`,
        }),
      }),
    ),
    answer: (days, { query }) =>
      pageOfAll(days, query, ({ date, events, isComplete }) => ({ date, ...events, isComplete })),
  }),
];

export const campaignTotalsRoute = route("GET /accounts/{account}/statistics/campaigns", {
  summary: "Count for each campaign who bounced, unsubscribed or complained",
  description: `The newest campaigns first, at most ${MAX_TOTALS} at once. Each number is counted up to ${MAX_COUNTED}; \`…/campaigns/{campaign}\` counts up to ${MAX_EVENTS}.`,
  action: campaignTotals,
  ...pageOfRows(
    Type.Object({ ...members, ...counts }),
    ({ bounced, unsubscribed, complained, ...campaign }: CampaignTotals) => ({
      ...{ ...toCampaign(campaign), bounced, unsubscribed, complained },
    }),
  ),
});
