/** What happened to a subscriber: the newest with the subscriber, and all of it in pages. */
import { Type } from "typebox";
import {
  listCampaignResults,
  listHistory,
  SHOWN_HISTORY,
  showSubscriber,
} from "#admin/subscribers/record.ts";
import { route } from "../../kit/route.ts";
import { Collection, collection, pageOf, pageQuery } from "../../kit/schemas.ts";
import { HistorySchema, toHistory } from "./history.ts";
import { ResultSchema, SubscriberSchema, toResult, toSubscriber } from "./record.ts";
import { tag } from "./schemas.ts";

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
  route({
    method: "GET",
    path: "/accounts/{account}/subscribers/{subscriber}",
    tag,
    summary: "Show a subscriber",
    description: `With custom values, lists, suppressions, and the newest ${SHOWN_HISTORY} entries of the history and results of campaigns.`,
    action: showSubscriber,
    args: ({ params: { account, subscriber } }) => ({ account, id: subscriber }),
    status: 200,
    reply: ShownSubscriber,
    answer: ({ record, names, hasMoreHistory, hasMoreCampaignResults }) => ({
      ...toSubscriber(record, names),
      hasMoreHistory,
      hasMoreCampaignResults,
    }),
    thing: "subscriber",
    versioned: ({ record }) => record,
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/subscribers/{subscriber}/history",
    tag,
    summary: "List what happened to a subscriber",
    description:
      "The entry that was recorded last comes first. The time of an entry can be earlier than that of the next one: imports and campaign events can be recorded later than they happened.",
    action: listHistory,
    query: Type.Object(pageQuery),
    args: ({ params: { account, subscriber }, query }) => ({ account, id: subscriber, ...pageOf(query) }),
    status: 200,
    reply: Collection(HistorySchema),
    answer: ({ names, ...page }) => collection(page, (entry) => toHistory(entry, names)),
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/subscribers/{subscriber}/campaign-results",
    tag,
    summary: "List the campaign results of a subscriber",
    description: "Those of the campaign that was recorded last come first.",
    action: listCampaignResults,
    query: Type.Object(pageQuery),
    args: ({ params: { account, subscriber }, query }) => ({ account, id: subscriber, ...pageOf(query) }),
    status: 200,
    reply: Collection(ResultSchema),
    answer: (page) => collection(page, toResult),
  }),
];
