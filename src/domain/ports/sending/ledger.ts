/**
 * The ledger as the processes that send use it. A process takes recipients in batches, under a lease. It
 * marks a recipient as `sending` before it uses the connection, and stores the result after. If its lease
 * expires, another process takes the batch over: what is queued is sent, what is `sending` becomes `unknown`.
 */
import type { AccountId } from "../../account.ts";
import type { CampaignId } from "../../campaign.ts";
import type { Id } from "../../id.ts";
import type { MailingState } from "../../sending/mailing.ts";
import type { SkipReason } from "../../sending/recipient.ts";
import type { SubscriberId } from "../../subscriber/subscriber.ts";
import type { DueMailing, MergeData, OfMailing } from "./mailings.ts";

export type BatchId = Id<"DeliveryBatchId">;

export interface Batch {
  readonly id: BatchId;
  readonly recipients: readonly MergeData[];
}

/** What a process got when it asked for recipients. */
export interface Taken {
  /** null: nothing to take now. */
  readonly batch: Batch | null;
  /** The batch was that of another process, which died. */
  readonly isTakenOver: boolean;
  /** Why the mailing was held just now; null: it was not. */
  readonly heldBecause: string | null;
  /** How many became `unknown`: a process was sending to them, and will not report a result. */
  readonly unknown: number;
}

/** What became of an attempt. */
export type DeliveryResult = {
  readonly subscriber: SubscriberId;
} /** The code is null if the message was written to a file. */ & (
  | { readonly state: "sent"; readonly code: number | null }
  /** `isHardBounce`: the address does not exist; it is a hard bounce of the campaign. */
  | {
      readonly state: "failed";
      readonly code: number;
      readonly reply: string;
      readonly isHardBounce: boolean;
    }
  | { readonly state: "deferred"; readonly code: number; readonly reply: string }
  /** The connection was lost after the last byte of the message. */
  | { readonly state: "unknown"; readonly reply: string }
  | { readonly state: "skipped"; readonly reason: SkipReason; readonly reply: string | null }
  /**
   * Nothing was handed over; it is queued again, `afterMs` from now. `isAttempt`: maybe because of this
   * recipient, so it is not tried for ever. Otherwise the relay could not be reached or the process stopped,
   * which says nothing about the recipient, however long it lasts.
   */
  | { readonly state: "queued"; readonly isAttempt: boolean; readonly afterMs: number }
);

/** A recipient to whom the process is about to send. */
export interface DeliveryStart {
  readonly subscriber: SubscriberId;
  /** The address that the message was made for. */
  readonly address: string;
}
/**
 * `started`: marked as sending. `skipped`: marked as skipped. `changed`: the address is another one; nothing
 * was marked. `limited`: a limit of the sender is reached until `until`. `stopped`: the mailing was paused,
 * cancelled or waits for its relay, or the lease was lost.
 */
export type StartOutcome =
  | "started"
  | { readonly skipped: SkipReason }
  | "changed"
  | { readonly limitedUntil: number }
  | "stopped";

export interface Proceeded {
  /** In the order of the starts. */
  readonly starts: readonly StartOutcome[];
  readonly state: MailingState;
  /** Nothing may be started before. */
  readonly waitsUntil: number | null;
  /** False: another process has the batch. */
  readonly isOurs: boolean;
  /** Whether everybody can see the campaign. Once it is so, it stays so. */
  readonly isVisible: boolean;
}

export interface Ledger {
  /** Mailings that are due or sending, of all accounts, and do not wait for their relay. */
  due(args: { readonly now: number }): Promise<readonly DueMailing[]>;
  /**
   * Starts a scheduled mailing: creates the job that selects its recipients; or holds it if it is overdue, or
   * if its filter needs what does not exist any more.
   */
  begin(args: OfMailing & { readonly now: number }): Promise<MailingState>;
  /**
   * Takes over an expired batch, or the next recipients: the ones to be tried again first. If nothing is left
   * at all, the mailing is finished. If two processes in turn died with a batch, and no recipient of the
   * mailing got a result in between, the mailing is held: its messages may be why.
   */
  take(
    args: OfMailing & {
      readonly owner: string;
      readonly until: number;
      readonly now: number;
      readonly limit: number;
      /** False: leaves expired batches to a later call. */
      readonly takesOver?: boolean;
    },
  ): Promise<Taken>;
  /** Reads recipients of a batch again, whose address has changed. */
  reload(args: OfMailing & { readonly subscribers: readonly SubscriberId[] }): Promise<readonly MergeData[]>;
  /**
   * Stores results and marks the next recipients as sending, in one transaction. The first start stores the
   * names of the lists, the first result makes the campaign visible. If the filter needs what does not exist
   * any more, the mailing is held, and nobody is started or skipped.
   */
  proceed(
    args: OfMailing & {
      readonly batch: BatchId;
      readonly owner: string;
      readonly until: number;
      readonly now: number;
      readonly results: readonly DeliveryResult[];
      readonly starts: readonly DeliveryStart[];
      /** True if an earlier call has returned it: then it need not be looked up. */
      readonly isVisible?: boolean;
    },
  ): Promise<Proceeded>;
  /** Ends a batch of which nothing is being sent; what is still queued in it can be taken by any process. */
  giveBack(
    args: OfMailing & { readonly batch: BatchId; readonly owner: string; readonly now: number },
  ): Promise<null>;
  /**
   * Mailings with a batch whose lease has expired, and which no process takes over because the mailing is not
   * being sent: it was paused or cancelled before the process died.
   */
  unattended(args: { readonly now: number }): Promise<readonly OfMailing[]>;
  /** Ends the expired batches of such a mailing. Returns how many recipients became `unknown`. */
  release(args: OfMailing & { readonly now: number }): Promise<number>;
  /**
   * Extends leases of a process. It names its batches: a batch that it does not know of, because the answer
   * to `take` was lost, must expire.
   */
  extend(args: {
    readonly owner: string;
    readonly batches: readonly BatchId[];
    readonly now: number;
    readonly until: number;
  }): Promise<null>;
  /**
   * The relay is away or refuses everything for now: the mailing waits, with the relay's words. `waitMs`: for
   * how long, if that is known; otherwise for longer with each failure.
   */
  relayFailed(
    args: OfMailing & { readonly now: number; readonly reason: string; readonly waitMs?: number | null },
  ): Promise<number>;
  /** The service itself holds a mailing that is being sent. Returns whether it was. */
  hold(args: OfMailing & { readonly now: number; readonly reason: string }): Promise<boolean>;
  /** The relay accepted something again. */
  relayWorks(args: OfMailing): Promise<null>;
  /** For metrics: how many mailings are in each state, and the numbers of mailings that are being sent. */
  figures(): Promise<readonly LedgerFigure[]>;
}
export interface LedgerFigure {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly state: MailingState;
  readonly queued: number;
  readonly waitsUntil: number | null;
}
