/** What came of campaigns, in numbers: of each campaign, and of one campaign per day. */
import { Type } from "typebox";
import { campaignTotals, eventsPerDay, MAX_TOTALS } from "#admin/campaigns/results.ts";
import { DEFAULT_DAYS } from "#admin/numbers/statistics.ts";
import { MAX_COUNTED, MAX_EVENTS } from "#domain/campaign.ts";
import { route } from "../../kit/route.ts";
import { Collection, collection, pageOf, pageOfAll, pageQuery } from "../../kit/schemas.ts";
import { Day, daysOf, RANGE } from "../statistics.ts";
import { counts, members, toCampaign } from "./campaigns.ts";

export const campaignResultRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/campaigns/{campaign}/events-per-day",
    tag: "Campaign events",
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
    status: 200,
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
  route({
    method: "GET",
    path: "/accounts/{account}/statistics/campaigns",
    tag: "Statistics",
    summary: "Count for each campaign who bounced, unsubscribed or complained",
    description: `The newest campaigns first, at most ${MAX_TOTALS} at once. Each number is counted up to ${MAX_COUNTED}; \`…/campaigns/{campaign}\` counts up to ${MAX_EVENTS}.`,
    action: campaignTotals,
    query: Type.Object(pageQuery),
    args: ({ params, query }) => ({ ...params, ...pageOf(query) }),
    status: 200,
    reply: Collection(Type.Object({ ...members, ...counts })),
    answer: (page) =>
      collection(page, ({ bounced, unsubscribed, complained, ...campaign }) => ({
        ...{ ...toCampaign(campaign), bounced, unsubscribed, complained },
      })),
  }),
];
