/** What came of campaigns, in numbers: of each campaign, and of one campaign per day. */
import { dateOfDay, dayOf } from "#domain/calendar.ts";
import {
  type Campaign,
  type CampaignEvent,
  type CampaignTotals,
  campaignEvents,
  type EventCounts,
  type EventDay,
  MAX_EVENTS,
} from "#domain/campaign.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { DayRange } from "#domain/statistics.ts";
import { type InAccount, query } from "../kit/action.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { DEFAULT_DAYS, type GivenDays, MAX_DAYS, requireDay, requireRange } from "../statistics.ts";
import { findCampaign, type OfCampaign } from "./campaigns.ts";
import { type WithSending, withSendings } from "./progress.ts";

/** The most campaigns of a page: the events of each are counted. */
export const MAX_TOTALS = 100;

/** The newest first. */
export const campaignTotals = query(
  "statistics.campaigns",
  "viewer",
  async (admin, { account, ...page }: InAccount & PageInputs): Promise<Page<WithSending<CampaignTotals>>> => {
    // Events are counted, so a page is smaller than elsewhere.
    const limit = Math.min(page.limit, MAX_TOTALS);
    const found = await pageOf(admin.store.campaigns.totals, { account }, { ...page, limit });
    return { ...found, rows: await withSendings(admin, account, found.rows) };
  },
);

export interface CampaignDay {
  readonly date: string;
  readonly events: EventCounts;
  /** false: the range has more events of a kind than are counted, and some of them may be of this day. */
  readonly isComplete: boolean;
}

/**
 * Every day of the range, the oldest first. Without a first day it begins when the campaign was sent, or
 * created; without a last day it has 30 days, up to today. Of each kind, the first `MAX_EVENTS` are counted.
 */
export const eventsPerDay = query(
  "campaign.eventsPerDay",
  "viewer",
  async (admin, given: OfCampaign & GivenDays): Promise<readonly CampaignDay[]> => {
    const { account, campaign: id } = given;
    const campaign = await findCampaign(admin, given);
    const range = rangeOf(given, campaign, dayOf(admin.clock()));
    const of = { account, campaign: id, ...range, most: MAX_EVENTS + 1 };
    return everyDay(await admin.store.campaigns.eventDays(of), range);
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
  const cuts = new Map(campaignEvents.flatMap((event) => cutOf(found, event)));
  const firstCut = Math.min(...cuts.values());
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const day = from + at;
    const countOf = (event: CampaignEvent): number =>
      (counts.get(`${day} ${event}`) ?? 0) - (cuts.get(event) === day ? 1 : 0);
    return {
      date: dateOfDay(day),
      events: Object.fromEntries(campaignEvents.map((event) => [event, countOf(event)])) as EventCounts,
      isComplete: day < firstCut,
    };
  });
}

/** The day of the event that is one too many, if there is one. */
function cutOf(
  found: readonly EventDay[],
  event: CampaignEvent,
): readonly (readonly [CampaignEvent, number])[] {
  const days = found.filter((one) => one.event === event);
  const total = days.reduce((sum, { count }) => sum + count, 0);
  return total > MAX_EVENTS ? [[event, Math.max(...days.map(({ day }) => day))]] : [];
}
