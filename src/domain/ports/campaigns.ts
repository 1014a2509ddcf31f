/** Campaigns, the lists they were sent to, and their events. */
import type { Audited } from "../audit.ts";
import type {
  Campaign,
  CampaignEvent,
  CampaignId,
  EventCounts,
  EventSubscriber,
  TargetedList,
} from "../campaign.ts";
import type { EncodedPage, RowForm } from "../encoded-rows.ts";
import type { ListId } from "../list.ts";
import type { EventOutcome } from "../subscriber-rules.ts";
import type { AddressCommand, OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";

export interface OfCampaignEvent extends OfAccount {
  readonly campaign: CampaignId;
  readonly event: CampaignEvent;
}

export interface Campaigns {
  /** The newest first. */
  readonly all: Listing<OfAccount, Campaign>;
  /** In order of id. */
  readonly targetedLists: Listing<OfAccount & { readonly campaign: CampaignId }, TargetedList>;
  byId(args: OfAccount & { readonly id: CampaignId }): Promise<Campaign | null>;
  lastSent(args: OfAccount): Promise<Campaign | null>;
  /** The campaign, or the id of the first unknown list. */
  record(
    args: OfAccount &
      Audited & {
        readonly name: string;
        readonly lists: readonly ListId[];
        readonly createdAt: number;
        readonly sentAt: number | null;
      },
  ): Promise<{ readonly unknownList: ListId } | Campaign>;
  /** null: no such campaign. The names of its lists stay those of the time of recording. */
  set(args: OfAccount & Campaign & Audited): Promise<Campaign | null>;
  eventCounts(args: OfAccount & { readonly campaign: CampaignId }): Promise<EventCounts>;
  recordEvent(args: AddressCommand & OfCampaignEvent): Promise<EventOutcome>;
  /** So many rows that the store encodes them itself. */
  subscribersByEvent(args: OfCampaignEvent, form: RowForm<EventSubscriber>): AsyncIterable<EncodedPage>;
}
