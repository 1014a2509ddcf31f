/** Campaigns and their events. */
import type { Id } from "./id.ts";
import type { ListId } from "./list.ts";
import type { SubscriberId, SuppressionKind } from "./subscriber/subscriber.ts";

export type CampaignId = Id<"CampaignId">;
/** Ids are 32-bit numbers in SOAP; ids above this one are left for automatic assignment. */
export const MAX_CHOSEN_CAMPAIGN_ID: CampaignId = 2_000_000_000;

export interface Campaign {
  readonly id: CampaignId;
  readonly name: string;
  readonly createdAt: number;
  readonly sentAt: number | null;
}
/** What users set and change, and thereby its version (`version.ts`). */
export const changeableCampaign = ["name", "createdAt", "sentAt"] as const;

/** A list with its name at the time of sending; `members` is current, 0 if the list was deleted. */
export interface TargetedList {
  readonly id: ListId;
  readonly name: string;
  readonly createdAt: number;
  readonly members: number;
  readonly isDeleted: boolean;
}

/** Each suppresses the subscriber, and has the word of the suppression. */
export const campaignEvents = [
  "bounced",
  "unsubscribed",
  "complained",
] as const satisfies readonly SuppressionKind[];
export type CampaignEvent = (typeof campaignEvents)[number];

/** How many subscribers have each event. */
export type EventCounts = Readonly<Record<CampaignEvent, number>>;

/** In a listing of campaigns, the events of each kind are counted up to this number. */
export const MAX_COUNTED = 10_000;
/** Of one campaign, the events of each kind are counted up to this number. */
export const MAX_EVENTS = 100_000;

/** A campaign with how many subscribers have each event, counted up to `MAX_COUNTED`. */
export type CampaignTotals = Campaign & EventCounts;

/** How many subscribers had an event on a day in UTC (`calendar.ts`). Days without one are left out. */
export interface EventDay {
  readonly day: number;
  readonly event: CampaignEvent;
  readonly count: number;
}

/** A subscriber with a campaign event: names are current, `joinedAt` is that of the time of the event. */
export interface EventSubscriber {
  readonly firstName: string;
  readonly lastName: string;
  readonly address: string;
  readonly joinedAt: number;
  readonly at: number;
}

/** A campaign event with its subscriber, as an operator sees it. */
export interface RecordedEvent extends EventSubscriber {
  readonly id: Id<"CampaignEventId">;
  readonly subscriber: SubscriberId;
}
