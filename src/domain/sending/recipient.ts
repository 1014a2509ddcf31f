/**
 * The ledger of a campaign: what became of it for each recipient. SMTP cannot tell whether a message arrived
 * if the connection is lost after its last byte; such a recipient is `unknown`, and is not tried again unless
 * an operator asks for it.
 */
import type { SubscriberId } from "../subscriber/subscriber.ts";
import type { Transitions } from "../transitions.ts";

/** The position is the number that a store keeps: never change the order. */
export const recipientStates = [
  "queued",
  "sending",
  "sent",
  "deferred",
  "failed",
  "skipped",
  "unknown",
] as const;
export type RecipientState = (typeof recipientStates)[number];
export const stateNumber = (state: RecipientState): number => recipientStates.indexOf(state);
export const stateOfNumber = (number: number): RecipientState => recipientStates[number] ?? "unknown";

/**
 * Results lead from `sending`, and from `unknown` if they are late; from `queued` and `deferred` also if the
 * database has lost the mark, or an operator's retry is undone. A retry leads back to `queued`.
 */
export const recipientTransitions: Transitions<RecipientState> = {
  queued: ["sending", "sent", "deferred", "failed", "skipped", "unknown"],
  sending: ["queued", "sent", "deferred", "failed", "skipped", "unknown"],
  sent: [],
  deferred: ["queued", "sending", "sent", "failed", "skipped", "unknown"],
  failed: ["queued"],
  skipped: [],
  unknown: ["queued", "sent", "deferred", "failed", "skipped"],
};

/** The states in which there is nothing left to do. */
export const endStates = [
  "sent",
  "failed",
  "skipped",
  "unknown",
] as const satisfies readonly RecipientState[];
export type EndState = (typeof endStates)[number];

/** The states out of which an operator can put recipients back. */
export const retriedStates = ["failed", "unknown"] as const satisfies readonly EndState[];
export type RetriedState = (typeof retriedStates)[number];

/**
 * Why a recipient got nothing. The position is the number that a store keeps as the code: never change it.
 */
export const skipReasons = [
  "unsubscribed",
  "bounced",
  "complained",
  "blocked",
  "left the lists",
  "on an excluded list",
  "erased",
  "needs SMTPUTF8",
  "cannot be rendered",
  "message too large",
  "does not match the filter",
] as const;
export type SkipReason = (typeof skipReasons)[number];
export const skipNumber = (reason: SkipReason): number => skipReasons.indexOf(reason);
export const skipOfNumber = (number: number | null): SkipReason | null =>
  number === null ? null : (skipReasons[number] ?? null);

/** How many recipients are in each state. */
export type RecipientCounts = Readonly<Record<RecipientState, number>>;
export const noRecipients = (): Record<RecipientState, number> => ({
  queued: 0,
  sending: 0,
  sent: 0,
  deferred: 0,
  failed: 0,
  skipped: 0,
  unknown: 0,
});

/** A recipient as an operator sees it. */
export interface Recipient {
  readonly subscriber: SubscriberId;
  /** null: the subscriber was erased. */
  readonly address: string | null;
  readonly state: RecipientState;
  /** When it got into this state, to the second. */
  readonly at: number;
  /**
   * The code of the relay's reply, such as 550; null if there was none. Of a message that was sent: it was
   * written to a file.
   */
  readonly code: number | null;
  readonly skipped: SkipReason | null;
  /** What the relay said, if it did not accept the message. */
  readonly reply: string | null;
}

/** For how many days a ledger is kept after the end of its campaign, if nothing else is configured. */
export const LEDGER_DAYS = 400;
export interface RecipientRetry {
  readonly dueAt: number;
  /** How often it was deferred. */
  readonly attempts: number;
  /** When the first attempt was; null: the relay has got nothing for this recipient yet. */
  readonly firstAt: number | null;
}
/** A recipient fails after this time of attempts without success. */
export const DEFERRED_HOURS = 72;
export const DEFERRED_MS = DEFERRED_HOURS * 3_600_000;
const FIRST_RETRY_MS = 5 * 60_000;
const LAST_RETRY_MS = 4 * 3_600_000;
/** `attempts` counts the deferral that has just happened. */
export const deferralDelay = (attempts: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS);
/**
 * After so many deferrals, no recipient waits for so long to be tried again. A time that is later was stored
 * by a clock that was wrong.
 */
export const longestRetryWait = (attempts: number): number => 2 * deferralDelay(Math.max(attempts, 1));
