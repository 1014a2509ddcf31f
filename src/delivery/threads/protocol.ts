/**
 * The messages between the runner and the delivery thread. Many are collected and posted as one, because each
 * posting costs both threads as much as a small mail. A message to a recipient never crosses: it is made and
 * handed over in the delivery thread.
 */
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { BatchId, DeliveryResult } from "#domain/ports/sending/ledger.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import type { CampaignContent } from "#domain/sending/mailing.ts";
import type { Sender, SenderSecrets } from "#domain/sending/sender.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { Moment } from "../moment.ts";

/** What the thread is started with. */
export interface ThreadData {
  /** For each set of relays. */
  readonly connections: number;
  /** Where it notes which message it is making, see `watchdog.ts`. */
  readonly mark: SharedArrayBuffer;
}

/**
 * A campaign that is sent for a while. If it is sent again later, that is another turn: what the thread still
 * says about an earlier one is ignored.
 */
export type TurnId = number;

/** What the thread needs to know of a campaign: sent once, before its recipients. */
export interface MailingToSend {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly name: string;
  readonly content: CampaignContent;
  /** With at least one relay. */
  readonly sender: Sender & SenderSecrets;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly linkSecret: Uint8Array;
  /** The names of the account's custom fields. */
  readonly fields: readonly string[];
}

/**
 * `compose`: further recipients. `send`: they are marked as sending. `drop`: forget them. `delay`: not within
 * `ms` from now; if `domain` is null, nobody of the campaign is. `halt`: forget all that are not being sent.
 * `close`: forget the campaign; none of its messages is being sent. `abort`: end all messages now. `end`: end
 * the thread.
 */
export type Command =
  | { readonly do: "open"; readonly turn: TurnId; readonly mailing: MailingToSend }
  | {
      readonly do: "compose";
      readonly turn: TurnId;
      readonly batch: BatchId;
      readonly people: readonly MergeData[];
    }
  | {
      readonly do: "send";
      readonly turn: TurnId;
      readonly subscribers: readonly SubscriberId[];
      /** When it was known that they may get the message. */
      readonly markedAt: Moment;
    }
  | { readonly do: "drop"; readonly turn: TurnId; readonly subscribers: readonly SubscriberId[] }
  | {
      readonly do: "delay";
      readonly turn: TurnId;
      readonly subscriber: SubscriberId;
      readonly domain: string | null;
      readonly ms: number;
    }
  | { readonly do: "halt" | "close"; readonly turn: TurnId }
  | { readonly do: "abort" | "end" };

/** A number that stands for one connection of the thread: at most one message is being sent on it. */
export type Slot = number;

/** The message is made, and the slot is reserved for it. */
export interface Ready {
  readonly turn: TurnId;
  /** A recipient can be dropped with one batch, and be in another one before the thread knows it. */
  readonly batch: BatchId;
  readonly subscriber: SubscriberId;
  readonly slot: Slot;
}
export interface Reported {
  readonly turn: TurnId;
  readonly result: DeliveryResult;
}
/** Something about a campaign as a whole. */
export interface OfTurn {
  readonly turn: TurnId;
  readonly reason: string;
}
/** What has happened in the thread since the last report. */
export interface Report {
  /** In the order in which it happened: a slot that is ready again has reported its result before. */
  readonly results: readonly Reported[];
  readonly ready: readonly Ready[];
  /** Campaigns of which no message can be made, or for which the thread has another problem. */
  readonly problems: readonly OfTurn[];
  /**
   * Campaigns whose relays are all away, or refuse everything for now. Nothing more of them is made ready.
   */
  readonly relayFailures: readonly OfTurn[];
  /** Campaigns of which the thread has nobody left to whom it may send now. */
  readonly hungry: readonly TurnId[];
  /** Open connections. */
  readonly connections: number;
}
