/** Campaigns and what they did to people. */
import type { ListId } from "./list.ts";

export type CampaignId = number;

export interface Campaign {
  readonly id: CampaignId;
  readonly name: string;
  readonly createdAt: number;
  readonly sentAt: number | null;
}

/** A list as it was named when the campaign went out; `members` is today's, 0 where it has been deleted since. */
export interface TargetedList {
  readonly id: ListId;
  readonly name: string;
  readonly createdAt: number;
  readonly members: number;
}

export const campaignEvents = ["hard-bounce", "unsubscribe", "complaint"] as const;
export type CampaignEvent = (typeof campaignEvents)[number];

/** A person that a campaign lost: names are today's, `joinedAt` is what it was when it happened. */
export interface EventSubscriber {
  readonly firstName: string;
  readonly lastName: string;
  readonly address: string;
  readonly joinedAt: number;
  readonly at: number;
}
