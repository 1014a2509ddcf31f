/** Campaigns that are composed here: their content, their state, and their ledger as operators see it. */
import type { AuditEntry, Audited } from "../../access/audit.ts";
import type { AccountId } from "../../account.ts";
import type { CampaignId } from "../../campaign.ts";
import type { Lease, LeaseRequest } from "../../job/job.ts";
import type {
  Audience,
  CampaignContent,
  ComposedCampaign,
  Mailing,
  MailingChange,
  SentCampaign,
} from "../../sending/mailing.ts";
import type {
  Recipient,
  RecipientCounts,
  RecipientState,
  RetriedState,
  SkipReason,
} from "../../sending/recipient.ts";
import type { SenderId } from "../../sending/sender.ts";
import type { Filter, Known } from "../../subscriber/filter.ts";
import type { State, SubscriberId } from "../../subscriber/subscriber.ts";
import type { NamedContent } from "../../version.ts";
import type { OfAccount } from "../command.ts";
import type { Listing } from "../listing.ts";
import type { OfSubscriber } from "../subscribers.ts";

export interface OfMailing extends OfAccount {
  readonly campaign: CampaignId;
}
/** The state does not allow the change. */
export interface WrongState {
  readonly wrongState: Mailing;
}
/** What its recipients were before an earlier retry is still being restored. */
export interface Restoring {
  readonly restoring: CampaignId;
}
/** What the values name does not exist. */
export type UnknownReference = { readonly unknownList: number } | { readonly unknownSender: number };

/** What a person's templates may use. */
export interface MergeData {
  readonly subscriber: SubscriberId;
  readonly address: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly gender: string | null;
  readonly birthday: string | null;
  readonly country: string | null;
  /** By the name of the field; only fields that have a value. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What a draft said when it was saved. */
export interface DraftVersion {
  /** From 1. */
  readonly number: number;
  readonly savedAt: number;
  readonly actor: AuditEntry["actor"];
}

/** A member of the included lists, and why they would get nothing. */
export interface Candidate {
  readonly person: MergeData;
  readonly leftOut:
    | Exclude<State, "active">
    | Extract<SkipReason, "on an excluded list" | "does not match the filter">
    | null;
}

/** The list that is counted, and its last member that was looked at. */
export interface AudiencePosition {
  readonly list: number;
  readonly after: SubscriberId;
}
export interface CountedAudience {
  readonly count: number;
  /** How many members were looked at, at most. */
  readonly visited: number;
  /** null: everybody was counted. */
  readonly next: AudiencePosition | null;
}

export interface Balance {
  readonly mailing: Mailing;
  /** Counted again from the rows. */
  readonly rows: RecipientCounts;
  /** Whether rows and counters agree and add up to what was selected. */
  readonly isBalanced: boolean;
}

export interface AtDomainLimit {
  readonly campaign: CampaignId;
  readonly perMinute: number;
  /** The domains of the next recipients, sorted; the limit is reached for each. */
  readonly domains: readonly string[];
  readonly endsAt: number;
}

export interface Mailings {
  /** A draft. */
  create(
    args: OfAccount &
      Audited & { readonly name: string; readonly content: CampaignContent; readonly at: number },
  ): Promise<UnknownReference | ComposedCampaign>;
  byId(args: OfMailing): Promise<ComposedCampaign | null>;
  /** The mailings of some campaigns, for a listing of campaigns. */
  ofCampaigns(args: OfAccount & { readonly campaigns: readonly CampaignId[] }): Promise<readonly Mailing[]>;
  /** Which of the campaigns have a sender that may hand nothing more over on the day (UTC) of `now`. */
  atDailyLimit(
    args: OfAccount & { readonly campaigns: readonly CampaignId[]; readonly now: number },
  ): Promise<readonly CampaignId[]>;
  /**
   * Which of the campaigns can start no recipient in the minute of `now`, because of the limit of the sender
   * for each domain. Given are campaigns that are being sent to no recipient at this moment.
   */
  atDomainLimit(
    args: OfAccount & { readonly campaigns: readonly CampaignId[]; readonly now: number },
  ): Promise<readonly AtDomainLimit[]>;
  /** Which of the campaigns have failed or unknown recipients that a job has yet to put back. */
  retrying(args: OfAccount & { readonly campaigns: readonly CampaignId[] }): Promise<readonly CampaignId[]>;
  /** Changes what is given, of a draft. null: no such campaign. */
  setContent(
    args: OfMailing &
      Audited & {
        readonly name?: string | undefined;
        readonly changes: Partial<CampaignContent>;
        /** An earlier version is restored: it does not become a part of the last one. */
        readonly isRestored?: boolean;
      },
  ): Promise<UnknownReference | WrongState | ComposedCampaign | null>;
  /** The last versions of a draft, the newest first. */
  versions(args: OfMailing): Promise<readonly DraftVersion[]>;
  /** null: it does not exist any more. */
  version(
    args: OfMailing & { readonly number: number },
  ): Promise<(DraftVersion & { readonly content: NamedContent }) | null>;
  /**
   * `at`: for `schedule`, when to start; what the campaign names must exist then. null: no such campaign.
   */
  change(
    args: OfMailing &
      Audited & {
        readonly change: MailingChange;
        readonly at: number;
        readonly now: number;
        readonly allowsHttp?: boolean;
        /** For `pause` by the service itself. */
        readonly reason?: string | null;
      },
  ): Promise<UnknownReference | WrongState | Mailing | null>;
  /**
   * Puts failed or unknown recipients back who may still get the message; others stay what they are. A job
   * does what is left; `count` is how many were put back before. A mailing that has ended is sending again,
   * if a recipient was put back. null: no such campaign.
   */
  retry(
    args: OfMailing &
      Audited & {
        readonly states: readonly RetriedState[];
        readonly now: number;
        readonly lease: LeaseRequest;
      },
  ): Promise<
    | WrongState
    | Restoring
    | { readonly mailing: Mailing; readonly count: number; readonly job: Lease | null }
    | null
  >;
  /** Counts the rows: takes long for a large campaign. */
  balance(args: OfMailing): Promise<Balance | null>;
  /** In order of the subscribers' ids. */
  readonly recipients: Listing<OfMailing & { readonly state: RecipientState | null }, Recipient>;
  /** Recipients whom `retry` would put back. A page may be empty although there are more. */
  readonly retriable: Listing<OfMailing & { readonly state: RetriedState }, Recipient>;
  /**
   * The campaigns whose recipients one subscriber was among, in order of id. A page may be empty although
   * there are more.
   */
  readonly ofSubscriber: Listing<OfSubscriber, SentCampaign>;
  /** Everybody on the included lists, for dry runs and previews, in order of id. */
  readonly candidates: Listing<OfAccount & Audience, Candidate>;
  /** Counts to whom a campaign would go now, a part at a time. */
  countAudience(
    args: OfAccount & Audience & { readonly position: AudiencePosition },
  ): Promise<CountedAudience>;
  /** Which fields and campaigns of a filter exist; of campaigns, those with a ledger. */
  knownToFilter(args: OfAccount & { readonly filter: Filter }): Promise<Known>;
  /**
   * Counts test messages that are about to be sent with a sender, and writes an entry in the audit log. null:
   * no such campaign. Throws TestLimitReached.
   */
  recordTest(
    args: OfMailing &
      Audited & { readonly sender: SenderId; readonly recipients: number; readonly at: number },
  ): Promise<OfMailing | null>;
  /** What templates may use of one person. null: no such subscriber. */
  person(args: OfAccount & { readonly subscriber: SubscriberId }): Promise<MergeData | null>;
}

/** For the processes that send. Of all accounts. */
export interface DueMailing {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly state: "scheduled" | "sending";
  readonly scheduledAt: number | null;
}
