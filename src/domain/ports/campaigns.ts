/** Campaigns, the lists they were sent to, and their events. */
import type { Audited } from "../access/audit.ts";
import type {
  Campaign,
  CampaignEvent,
  CampaignId,
  CampaignTotals,
  EventDay,
  EventSubscriber,
  RecordedEvent,
  TargetedList,
} from "../campaign.ts";
import type { Lease, LeaseRequest } from "../job/job.ts";
import type { ListId } from "../list.ts";
import type { EncodedPage, RowForm } from "../paging.ts";
import type { Mailing } from "../sending/mailing.ts";
import type { DayRange } from "../statistics.ts";
import type { BouncesOfCampaign } from "../subscriber/bulk-change.ts";
import type { EventOutcome } from "../subscriber/rules.ts";
import type { SubscriberId } from "../subscriber/subscriber.ts";
import type { AddressCommand, Beginning, OfAccount } from "./command.ts";
import type { Listing } from "./listing.ts";

export interface OfCampaignEvent extends OfAccount {
  readonly campaign: CampaignId;
  readonly event: CampaignEvent;
}

/** A subscriber whose address bounced, and since when it counts as bounced. */
export interface BouncedSubscriber {
  readonly subscriber: SubscriberId;
  readonly address: string;
  readonly since: number;
}

export interface DeleteCampaign extends OfAccount, Audited {
  readonly id: CampaignId;
  readonly at: number;
  /** For the job that does what is left after the first batch. */
  readonly lease: LeaseRequest;
}
/** The campaign as it was; `job` is null if it is gone. */
export interface DeletedCampaign {
  readonly campaign: Campaign;
  readonly job: Lease | null;
}

/** Refused, because Mailroll sends the campaign itself. */
export interface IsComposed {
  readonly mailing: Mailing;
}
/** Not deleted: a campaign that is scheduled or under way names it, in its lists or in its filter. */
export interface Needed {
  readonly neededBy: Campaign;
}

export interface Campaigns {
  /** Some whose names begin with the text, among a bounded number of them. */
  named(args: Beginning): Promise<readonly Campaign[]>;
  /** The newest first, with drafts. */
  readonly all: Listing<OfAccount, Campaign>;
  /** The same without drafts: what integrations see. */
  readonly visible: Listing<OfAccount, Campaign>;
  /** The same, with what came of each. */
  readonly totals: Listing<OfAccount, CampaignTotals>;
  /** In order of id. */
  readonly targetedLists: Listing<OfAccount & { readonly campaign: CampaignId }, TargetedList>;
  /** The events of one kind, the oldest first. */
  readonly events: Listing<OfCampaignEvent, RecordedEvent>;
  /**
   * Whom the campaign has suppressed because their address bounced, and who still is. A page may be empty
   * although there are more.
   */
  readonly bounces: Listing<OfAccount & BouncesOfCampaign, BouncedSubscriber>;
  byId(args: OfAccount & { readonly id: CampaignId }): Promise<Campaign | null>;
  /** Not a draft. */
  visibleById(args: OfAccount & { readonly id: CampaignId }): Promise<Campaign | null>;
  lastSent(args: OfAccount): Promise<Campaign | null>;
  /**
   * The campaign, or the id of the first unknown list. An id is chosen if programs already know the campaign;
   * it is taken if another campaign has it, of any account.
   */
  record(
    args: OfAccount &
      Audited & {
        readonly id?: CampaignId | null;
        readonly name: string;
        readonly lists: readonly ListId[];
        readonly createdAt: number;
        readonly sentAt: number | null;
      },
  ): Promise<{ readonly unknownList: ListId } | { readonly takenId: CampaignId } | Campaign>;
  /**
   * null: no such campaign. Its lists keep the names that they had when it was recorded. Of a campaign that
   * is composed here, only the name can be changed.
   */
  set(args: OfAccount & Campaign & Audited): Promise<Campaign | IsComposed | null>;
  /** Also a campaign that is being deleted; null: no such campaign. Refused as the deletion would be. */
  toDelete(args: OfAccount & { readonly id: CampaignId }): Promise<Campaign | IsComposed | Needed | null>;
  /**
   * Deletes a campaign, or the first of its events; then it does not exist for any caller. null: the account
   * has no such campaign. A campaign that is composed here and has not ended stays, unless it is a draft; so
   * does one that the filter of another campaign needs.
   */
  delete(args: DeleteCampaign): Promise<DeletedCampaign | IsComposed | Needed | null>;
  /** At most `most`. Also of a campaign that is being deleted. */
  countEvents(args: OfCampaignEvent & { readonly most: number }): Promise<number>;
  /** Of each kind, the first `most` events of the range. */
  eventDays(
    args: OfAccount & DayRange & { readonly campaign: CampaignId; readonly most: number },
  ): Promise<readonly EventDay[]>;
  recordEvent(args: AddressCommand & OfCampaignEvent): Promise<EventOutcome>;
  /** So many rows that the store encodes them itself. */
  subscribersByEvent(args: OfCampaignEvent, form: RowForm<EventSubscriber>): AsyncIterable<EncodedPage>;
}
