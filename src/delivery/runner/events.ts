/** What the runner needs of a store, and what it reports for the log and the metrics. */
import type { Fields } from "#domain/ports/fields.ts";
import type { Leaving } from "#domain/ports/sending/leaving.ts";
import type { DeliveryResult, Ledger } from "#domain/ports/sending/ledger.ts";
import type { Mailings, OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Senders } from "#domain/ports/sending/senders.ts";
import type { MailingState } from "#domain/sending/mailing.ts";

export interface DeliveryStore {
  readonly ledger: Ledger;
  readonly mailings: Mailings;
  readonly senders: Senders;
  readonly leaving: Leaving;
  readonly fields: Fields;
}

export interface DeliveryEvents {
  /** `state`: selecting, or held because it is overdue. */
  onBegan(mailing: OfMailing, state: MailingState): void;
  /** What was stored. */
  onResults(results: readonly DeliveryResult[]): void;
  /** They became unknown: the process that was sending to them has lost its lease. */
  onUnreported(mailing: OfMailing, count: number): void;
  /** They must not get the campaign any more. */
  onSkipped(count: number): void;
  /** `until`: when the mailing is tried again. */
  onRelayFailed(mailing: OfMailing, reason: string, until: number): void;
  /** By the service itself, not by a person. */
  onPaused(mailing: OfMailing, reason: string): void;
  /** Another process has taken over a batch. */
  onLost(mailing: OfMailing): void;
  /** Something could not be stored; it is repeated. */
  onStoreFailed(mailing: OfMailing, error: unknown): void;
  /** The search for mailings failed; it is repeated. */
  onSearchFailed(error: unknown): void;
  onSearched(): void;
  /** By the service itself, because of its messages. */
  onHeld(mailing: OfMailing, reason: string): void;
  /** `unknown`: to how many recipients it was sending. */
  onThreadDied(error: Error, unknown: number): void;
}
