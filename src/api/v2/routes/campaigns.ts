/** Campaigns, and what came of them. */
import { Type } from "typebox";
import {
  type CountedEvents,
  deleteCampaign,
  type ListedCampaign,
  listCampaigns,
  recordCampaign,
  setCampaign,
  showCampaign,
  showCampaignToDelete,
} from "#admin/campaigns/campaigns.ts";
import { type Campaign, type CampaignEvent, MAX_EVENTS, type TargetedList } from "#domain/campaign.ts";
import { jobOrNull, WithJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import { Id, Input, Named, Nullable, pageOfRows, readTime, Time, written } from "../kit/schemas.ts";
import { readLists, SendingSchema, State, toSending } from "./campaign-schemas.ts";

export const members = {
  id: Id(),
  name: Type.String(),
  createdAt: Time(),
  sentAt: Nullable(Time("null: it was not sent.")),
};
const CampaignSchema = Named("Campaign", members);
export const toCampaign = ({ id, name, createdAt, sentAt }: Campaign) =>
  written({ id, name, createdAt, sentAt });
const shown = { reply: CampaignSchema, answer: toCampaign, thing: "campaign" } as const;

const Listed = Named("ListedCampaign", {
  ...members,
  state: Nullable(State("null: the campaign was recorded; another tool sends it.")),
});
const toListed = ({ sending, ...campaign }: ListedCampaign) => ({
  ...toCampaign(campaign),
  state: sending?.state ?? null,
});

export const counts = {
  bounced: Type.Integer(),
  unsubscribed: Type.Integer(),
  complained: Type.Integer(),
} satisfies Record<CampaignEvent, unknown>;
export const Counts = Type.Object(counts, { description: "How many subscribers have each event." });

const counted = {
  counts: Type.Object(counts, {
    description: `How many subscribers have each event. Each number is counted up to ${MAX_EVENTS}.`,
  }),
  hasMoreEvents: Type.Boolean({
    description: `Whether the campaign has more than ${MAX_EVENTS} events of a kind: a number of ${MAX_EVENTS} then means that or more.`,
  }),
};
const toCounted = ({ events, hasMoreEvents }: CountedEvents) => ({
  counts: events,
  hasMoreEvents: Object.values(hasMoreEvents).some((hasMore) => hasMore),
});

const ListSchema = Named("CampaignList", {
  id: Id(),
  name: Type.String({ description: "The name that the list had when the campaign was recorded." }),
  createdAt: Time(),
  memberCount: Type.Integer({
    description: "How many active subscribers the list has now; 0 if it was deleted.",
  }),
});

const toList = ({ id, name, createdAt, members: memberCount }: TargetedList) =>
  written({ id, name, createdAt, memberCount });

const Name = Type.String({ examples: ["Spring offers"] });
const MAX_LISTS = 1000;
const timeIfGiven = (text: string | null | undefined) => (typeof text === "string" ? readTime(text) : text);

export const campaignRoutes = [
  route("GET /accounts/{account}/campaigns", {
    summary: "List the campaigns of an account",
    description: "The newest first.",
    action: listCampaigns,
    ...pageOfRows(Listed, toListed),
  }),
  route("POST /accounts/{account}/campaigns", {
    summary: "Record a campaign",
    description:
      "Records a campaign that another tool has sent or will send. `…/campaigns:compose` creates one that Mailroll sends.",
    action: recordCampaign,
    body: Input({
      name: Name,
      listIds: Type.Array(Id(), {
        minItems: 1,
        maxItems: MAX_LISTS,
        description: "The ids of the lists that the campaign is sent to.",
      }),
      createdAt: Type.Optional(Time("If it is not given: `sentAt`, or now.")),
      sentAt: Type.Optional(Nullable(Time("Not in the future; null or absent: it was not sent."))),
    }),
    args: ({ params, body: { name, listIds, createdAt = null, sentAt = null } }) => ({
      ...params,
      name,
      lists: readLists(listIds),
      createdAt: createdAt === null ? null : readTime(createdAt),
      sentAt: sentAt === null ? null : readTime(sentAt),
    }),
    inputs: { lists: "listIds" },
    status: 201,
    ...shown,
  }),
  route("GET /accounts/{account}/campaigns/{campaign}", {
    summary: "Show a campaign with its lists and its results",
    action: showCampaign,
    reply: Type.Object({
      ...members,
      lists: Type.Array(ListSchema),
      ...counted,
      isWrittenToFiles: Type.Boolean({
        description: "There is no mail server: its messages were written to files, or will be.",
      }),
      sending: Nullable(
        Type.Object(SendingSchema.properties, {
          title: "Sending",
          description: "null: the campaign was recorded; another tool sends it.",
        }),
      ),
    }),
    answer: (found) => ({
      ...toCampaign(found),
      lists: found.lists.map(toList),
      ...toCounted(found),
      isWrittenToFiles: found.isWrittenToFiles,
      sending: found.sending === null ? null : toSending(found.sending),
    }),
    thing: "campaign",
  }),
  route("PATCH /accounts/{account}/campaigns/{campaign}", {
    summary: "Correct the name or the times of a campaign",
    description: "A member that is not given stays as it is.",
    action: setCampaign,
    body: Input({
      name: Type.Optional(Name),
      createdAt: Type.Optional(Time()),
      sentAt: Type.Optional(Nullable(Time("null: it was not sent."))),
    }),
    args: ({ params, body: { name, createdAt, sentAt } }) => ({
      ...params,
      name,
      createdAt: createdAt === undefined ? undefined : readTime(createdAt),
      sentAt: timeIfGiven(sentAt),
    }),
    ...shown,
  }),
  route("GET /accounts/{account}/campaigns/{campaign}/deletion", {
    summary: "Preview the deletion of a campaign",
    description:
      "The campaign and the results that would be deleted with it. Nothing is changed. 409 if it is sent by Mailroll and has not ended, or if the filter of such a campaign needs to know who got it.",
    mayConflict: true,
    action: showCampaignToDelete,
    reply: Type.Object({ ...members, ...counted }),
    answer: (found) => ({ ...toCampaign(found), ...toCounted(found) }),
  }),
  route("DELETE /accounts/{account}/campaigns/{campaign}", {
    summary: "Delete a campaign and its results",
    description: "Subscribers who bounced, unsubscribed or complained stay suppressed. Their history stays.",
    action: deleteCampaign,
    status: 202,
    reply: WithJob({ campaign: CampaignSchema }),
    answer: ({ campaign, job }, { now }) => ({
      campaign: toCampaign(campaign),
      job: jobOrNull(job, now),
    }),
    thing: "campaign",
    versioned: ({ campaign }) => campaign,
  }),
];
