/** What came of campaigns, in numbers: of each campaign, and of one campaign per day. */
import { dateOfDay, dayOf } from "../../domain/calendar.ts";
import {
  type Campaign,
  type CampaignTotals,
  campaignEvents,
  type EventCounts,
  type EventDay,
} from "../../domain/campaign.ts";
import type { Page } from "../../domain/ports/listing.ts";
import type { DayRange } from "../../domain/statistics.ts";
import { action, type InAccount } from "../kit/action.ts";
import { InvalidInput } from "../kit/errors.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { DEFAULT_DAYS, type GivenDays, MAX_DAYS, requireDay, requireRange } from "../numbers/statistics.ts";
import { findCampaign, type OfCampaign } from "./campaigns.ts";

/** The most campaigns of a page: the events of each are counted. */
export const MAX_TOTALS = 100;

/** The newest first. */
export const campaignTotals = action(
  "statistics.campaigns",
  "viewer",
  "nothing",
  async ({ store }, { account, ...page }: InAccount & PageInputs): Promise<Page<CampaignTotals>> => {
    if (page.limit > MAX_TOTALS)
      throw new InvalidInput("limit", `must be a number from 1 to ${MAX_TOTALS}, because events are counted`);
    return await pageOf(store.campaigns.totals, { account }, page);
  },
);

export interface CampaignDay {
  readonly date: string;
  readonly events: EventCounts;
}

/**
 * Every day of the range, the oldest first. Without a first day it begins when the campaign was sent, or
 * created; without a last day it has 30 days, up to today.
 */
export const eventsPerDay = action(
  "campaign.events-per-day",
  "viewer",
  "nothing",
  async (admin, given: OfCampaign & GivenDays): Promise<readonly CampaignDay[]> => {
    const { account, campaign: id } = given;
    const campaign = await findCampaign(admin, given);
    const range = rangeOf(given, campaign, dayOf(admin.clock()));
    return everyDay(await admin.store.campaigns.eventDays({ account, campaign: id, ...range }), range);
  },
);

function rangeOf({ from, to }: GivenDays, { sentAt, createdAt }: Campaign, today: number): DayRange {
  const begun = dayOf(sentAt ?? createdAt);
  if (from === null && to !== null) {
    const last = requireDay(to, "to");
    return { from: Math.max(Math.min(begun, last), last - MAX_DAYS + 1), to: last };
  }
  const first = from === null ? Math.min(begun, today) : requireDay(from, "from");
  const last = to === null ? Math.min(first + DEFAULT_DAYS - 1, today) : requireDay(to, "to");
  return requireRange(first, last);
}

function everyDay(found: readonly EventDay[], { from, to }: DayRange): readonly CampaignDay[] {
  const counts = new Map(found.map(({ day, event, count }) => [`${day} ${event}`, count]));
  return Array.from({ length: to - from + 1 }, (_, at) => ({
    date: dateOfDay(from + at),
    events: Object.fromEntries(
      campaignEvents.map((event) => [event, counts.get(`${from + at} ${event}`) ?? 0]),
    ) as EventCounts,
  }));
}
