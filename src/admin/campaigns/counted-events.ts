/** How many subscribers have each event of a campaign. A bounded number of events is read. */
import { type CampaignEvent, type CampaignId, type EventCounts, MAX_EVENTS } from "#domain/campaign.ts";
import type { Admin, InAccount } from "../kit/action.ts";

type OfCampaign = InAccount & { readonly campaign: CampaignId };

export interface CountedEvents {
  /** At most `MAX_EVENTS` of each kind. */
  readonly events: EventCounts;
  /** Whether the campaign has more of a kind than are counted. */
  readonly hasMoreEvents: Readonly<Record<CampaignEvent, boolean>>;
}

/** At most `MAX_EVENTS`; `hasMore`: there are more. */
export async function countEvents({ store }: Admin, { account, campaign }: OfCampaign, event: CampaignEvent) {
  const found = await store.campaigns.countEvents({ account, campaign, event, most: MAX_EVENTS + 1 });
  return { count: Math.min(found, MAX_EVENTS), hasMore: found > MAX_EVENTS };
}

export async function countAllEvents(admin: Admin, one: OfCampaign): Promise<CountedEvents> {
  const [bounced, unsubscribed, complained] = await Promise.all([
    countEvents(admin, one, "bounced"),
    countEvents(admin, one, "unsubscribed"),
    countEvents(admin, one, "complained"),
  ]);
  return {
    events: { bounced: bounced.count, unsubscribed: unsubscribed.count, complained: complained.count },
    hasMoreEvents: {
      bounced: bounced.hasMore,
      unsubscribed: unsubscribed.hasMore,
      complained: complained.hasMore,
    },
  };
}
