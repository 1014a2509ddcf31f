/**
 * A mailing: the sending of a campaign by Mailroll. Commands write the intent as a state; the processes that
 * serve read it and send. A campaign without a mailing was sent by another program and recorded here.
 */
import type { AccountId } from "../account.ts";
import type { Campaign, CampaignId, EventCounts } from "../campaign.ts";
import type { ListId } from "../list.ts";
import { type Filter, namedBy } from "../subscriber/filter.ts";
import type { SubscriberId } from "../subscriber/subscriber.ts";
import { MAX_NAME_LENGTH } from "../text.ts";
import { tooManyComplaints } from "./provider-event.ts";
import {
  endStates,
  type Recipient,
  type RecipientCounts,
  type RecipientRetry,
  type RecipientState,
  recipientStates,
} from "./recipient.ts";
import type { SenderId } from "./sender.ts";

/**
 * `selecting`: the recipients are being selected. `held`: waits for a person, in a restored or copied
 * database or for one of `holdReasons`. A relay that is away does not change the state: see `waitsUntil`.
 */
export const mailingStates = [
  "draft",
  "scheduled",
  "selecting",
  "sending",
  "paused",
  "held",
  "finished",
  "cancelled",
] as const;
export type MailingState = (typeof mailingStates)[number];

export interface Mailing {
  readonly campaign: CampaignId;
  readonly account: AccountId;
  readonly state: MailingState;
  /** Whether unsubscribe links may be http, for trying out. */
  readonly allowsHttp: boolean;
  readonly scheduledAt: number | null;
  /** When the recipients were selected. */
  readonly startedAt: number | null;
  /** Of one that was cancelled: when that was, also while a retry sends it again to some recipients. */
  readonly endedAt: number | null;
  /** Nothing is handed over before: the relay is away or refuses for now. */
  readonly waitsUntil: number | null;
  /** Why it waits, was paused or is held; in the relay's words if they are known. */
  readonly reason: string | null;
  readonly selected: number;
  /** Of the rows of the ledger; they stay when the rows are deleted. */
  readonly counts: RecipientCounts;
  readonly bouncedCount: number;
  /** When the rows of the ledger were deleted. */
  readonly purgedAt: number | null;
}

/** To whom a campaign goes: active members of its lists who are on no excluded one and match the filter. */
export interface Audience {
  readonly lists: readonly ListId[];
  readonly excludedLists: readonly ListId[];
  readonly filter: Filter;
}
/** What a campaign says, and to whom. */
export interface CampaignContent extends Audience {
  readonly sender: SenderId | null;
  readonly subject: string;
  readonly preheader: string;
  /** The layout around Markdown; null: the plain one. */
  readonly layout: string | null;
  /**
   * Liquid templates. Of HTML and Markdown at most one is given. Text is made from them where it is missing.
   */
  readonly html: string | null;
  readonly markdown: string | null;
  readonly text: string | null;
}
export const emptyContent: CampaignContent = {
  sender: null,
  subject: "",
  preheader: "",
  layout: null,
  html: null,
  markdown: null,
  text: null,
  lists: [],
  excludedLists: [],
  filter: [],
};
export const contentNames = Object.keys(emptyContent) as readonly (keyof CampaignContent)[];

/** So many versions of a draft can be restored. */
export const KEPT_VERSIONS = 10;
/** What the same user saves within this time is one version. */
export const VERSION_MS = 10 * 60_000;

export interface ComposedCampaign {
  readonly campaign: Campaign;
  readonly content: CampaignContent;
  readonly mailing: Mailing;
}

/** The name of a copy, cut to the length of a name. */
export function copyName(name: string): string {
  const copied = [...`Copy of ${name}`];
  return copied.length <= MAX_NAME_LENGTH
    ? copied.join("")
    : `${copied
        .slice(0, MAX_NAME_LENGTH - 1)
        .join("")
        .trimEnd()}…`;
}

/** What an operator does with a mailing. */
export const mailingChanges = ["schedule", "pause", "resume", "cancel", "unschedule"] as const;
export type MailingChange = (typeof mailingChanges)[number];

interface Step {
  readonly from: readonly MailingState[];
  readonly to: readonly MailingState[];
}
/**
 * From which states each step leads to which. The steps of an operator, then the steps of the service: a
 * mailing is due; its recipients are selected; recipients are left, none is left or one is sent to again; it
 * is held for one of `holdReasons`, or in a copy of the database; a late result leaves a recipient to be
 * tried again.
 */
export const mailingTransitions = {
  schedule: { from: ["draft", "scheduled", "held"], to: ["scheduled"] },
  unschedule: { from: ["scheduled"], to: ["draft"] },
  pause: { from: ["selecting", "sending"], to: ["paused"] },
  /** A mailing that was not started is scheduled again. */
  resume: { from: ["paused", "held"], to: ["scheduled", "sending"] },
  cancel: { from: ["scheduled", "selecting", "sending", "paused", "held"], to: ["cancelled"] },
  /** Failed and unknown recipients of a mailing that has ended are put back. */
  retry: { from: ["finished", "cancelled"], to: ["sending"] },
  begin: { from: ["scheduled"], to: ["selecting", "held"] },
  select: { from: ["selecting"], to: ["sending", "finished"] },
  finish: { from: ["sending"], to: ["finished", "cancelled"] },
  hold: { from: ["sending"], to: ["held"] },
  copy: { from: ["scheduled", "selecting", "sending", "paused"], to: ["held"] },
  "late result": { from: ["finished"], to: ["sending"] },
} as const satisfies Readonly<Record<string, Step>>;
export type MailingStep = keyof typeof mailingTransitions;
/** The states to which a step leads. */
export type StateAfter<Step extends MailingStep> = (typeof mailingTransitions)[Step]["to"][number];
export function mayChange(step: MailingStep, state: MailingState): boolean {
  const { from }: Step = mailingTransitions[step];
  return from.includes(state);
}

/**
 * The states in which failed and unknown recipients can be put back. A mailing that has ended is sending
 * again.
 */
const retriableStates: readonly MailingState[] = ["sending", "paused", "held", "finished", "cancelled"];
export const mayRetry = ({ state, purgedAt }: Pick<Mailing, "state" | "purgedAt">): boolean =>
  retriableStates.includes(state) && purgedAt === null;

/** Also what a retry of a mailing that has ended has left to do: its next step would continue the mailing. */
export const mayCancel = ({
  state,
  isRetrying,
}: Pick<Mailing, "state"> & { readonly isRetrying: boolean }): boolean =>
  mayChange("cancel", state) || (hasEnded(state) && isRetrying);

/** Only content that no recipient has got can be changed. */
export const isEditable = (state: MailingState): boolean => state === "draft";
export const endedStates = ["finished", "cancelled"] as const satisfies readonly MailingState[];
export const hasEnded = (state: MailingState): state is (typeof endedStates)[number] =>
  endedStates.some((one) => one === state);
/** The lists of such a mailing stay, and the fields and ledgers that its filter names. */
export const needsAudience = (state: MailingState): boolean => state !== "draft" && !hasEnded(state);
/** A mailing that is scheduled or under way cannot be deleted. */
export const isDeletable = (state: MailingState): boolean => !needsAudience(state);

/** Whom a cancellation left out. Their state stays as it was: such a recipient can have been tried before. */
export const isLeftOut = (recipient: RecipientState, state: MailingState): boolean =>
  state === "cancelled" && (recipient === "queued" || recipient === "deferred");

/** What became of a campaign for one subscriber. */
export type SentCampaign = Omit<Recipient, "subscriber" | "address"> & {
  readonly campaign: CampaignId;
  readonly name: string;
  readonly campaignState: MailingState;
  /** null: it is not tried again. */
  readonly retry: RecipientRetry | null;
  /**
   * What it was before an operator put it back; null: it was not put back, or that is not stored any more.
   */
  readonly earlier: Pick<Recipient, "state" | "at" | "code" | "reply"> | null;
};

/** A start that was missed by more than this waits for a person. */
export const OVERDUE_MS = 3_600_000;

/** Also covers that clocks are read one after the other. */
const SOON_MS = 5000;
/** When a scheduled mailing starts; null: it is not scheduled, or starts within a few seconds. */
export const laterStart = (
  { state, scheduledAt }: Pick<Mailing, "state" | "scheduledAt">,
  now: number,
): number | null =>
  state === "scheduled" && scheduledAt !== null && scheduledAt > now + SOON_MS ? scheduledAt : null;

/** What became of the messages that a relay has replied to. */
interface Replied {
  readonly sent: number;
  readonly failed: number;
  /** Of recipients that failed, also if they were put back since. */
  readonly bouncedCount: number;
}
/** A mailing is paused if more than this share of its messages bounced hard, or failed at all. */
const pauses: readonly {
  readonly share: number;
  readonly count: (of: Replied) => number;
  readonly reason: (count: number, total: number) => string;
}[] = [
  {
    share: 0.05,
    count: ({ bouncedCount }) => bouncedCount,
    reason: (count, total) =>
      `There were too many hard bounces: the relay rejected ${count} of ${total} addresses as nonexistent. Check where the addresses come from before you resume the campaign.`,
  },
  {
    share: 0.5,
    count: ({ failed }) => failed,
    reason: (count, total) =>
      `${count} of ${total} messages failed. Read why in the list of failed recipients before you resume the campaign.`,
  },
];
/** Of fewer messages, a share says nothing. */
const PAUSE_MINIMUM = 200;
const totalOf = ({ sent, failed }: Replied): number => sent + failed;

/**
 * Why a mailing that is being sent must pause after these results; null: it goes on. A share that was too
 * large before them is no reason: an operator has resumed the mailing since.
 */
export function pauseReason(before: Replied, after: Replied): string | null {
  const total = totalOf(after);
  for (const { share, count, reason } of pauses) {
    const isTooMuch = (of: Replied): boolean =>
      totalOf(of) >= PAUSE_MINIMUM && count(of) > totalOf(of) * share;
    if (isTooMuch(after) && !isTooMuch(before)) return reason(count(after), total);
  }
  return null;
}

/**
 * The same for what providers tell later (`provider-event.ts`): how many people bounced hard, and how many
 * complained.
 */
type Lost = Pick<EventCounts, "bounced" | "complained">;
export function eventPauseReason(mailing: Pick<Replied, "sent" | "failed">, before: Lost, after: Lost) {
  const bounces = ({ bounced }: Lost): Replied => ({ ...mailing, bouncedCount: bounced });
  const isTooMuch = ({ complained }: Lost): boolean => tooManyComplaints(complained, mailing.sent);
  return isTooMuch(after) && !isTooMuch(before)
    ? `${after.complained} of ${mailing.sent} people complained about the campaign. Find out why before you resume it, because providers close the accounts of such senders.`
    : pauseReason(bounces(before), bounces(after));
}

/**
 * If the first messages are all refused, nobody knows whom the refusal is about. If it is always the same, it
 * is not about the recipients: they are queued again, and the mailing waits for its relay.
 */
export const FIRST_REFUSALS = 20;
const REFUSES_ALL = "the relay refuses every message";
export const refusesAllReason = (words: string): string => `${REFUSES_ALL}: ${words}`;
export const refusesAll = (reason: string | null): boolean => reason?.startsWith(REFUSES_ALL) === true;

/** So many messages of a mailing may take too long to make before it is paused. */
export const MAX_TOO_SLOW = 5;
const SIMPLER = "Resume the campaign to try again, or cancel it and simplify the templates of a copy.";
export const tooSlowReason = `${MAX_TOO_SLOW} messages took too long to make, and their recipients were skipped. ${SIMPLER}`;
/** Why a mailing is paused whose content or DKIM key is of no use. */
export const unmadeReason = (problem: string): string =>
  `No message can be made: ${problem}${problem.endsWith(".") ? "" : "."} Correct that and resume the campaign, or cancel it and correct a copy.`;
/** What the filter of a mailing names that is gone, and what to do for those who have not got it. */
const neededText = (gone: Filter): string => {
  const { fields, campaigns } = namedBy(gone);
  const named = [
    ...fields.map((id) => `field ${id}`),
    ...campaigns.map((id) => `the recipients of campaign ${id}`),
  ];
  return `its filter needs what does not exist any more: ${named.join(", ")}`;
};
const othersText = (campaign: CampaignId): string =>
  `duplicate it, and replace that condition by one that campaign ${campaign} was not received`;
export const notRetriedReason = (gone: Filter, campaign: CampaignId): string =>
  `campaign ${campaign} cannot be sent again, because ${neededText(gone)}; ${othersText(campaign)}`;
/**
 * Why a mailing is held by the service itself, in sentences that say what to do. A subscriber that is null:
 * its content was being prepared.
 */
export const holdReasons = {
  gone: (gone: Filter): string =>
    `Nobody got this campaign, because ${neededText(gone)}. Cancel it, and send a duplicate without that condition.`,
  goneMeanwhile: (gone: Filter, campaign: CampaignId): string =>
    `Nobody else gets this campaign, because ${neededText(gone)}. Cancel it. For those who have not got it, ${othersText(campaign)}.`,
  overdue: "The start was missed by more than an hour. Resume the campaign to send it now, or cancel it.",
  thread: (subscriber: SubscriberId | null, problem: string): string =>
    `${subscriber === null ? "The content" : `The message to subscriber ${subscriber}`} could not be made: ${problem}. ${SIMPLER}`,
  process: `The service died twice while it made messages of this campaign, and no result was stored in between. ${SIMPLER}`,
};

const FIRST_WAIT_MS = 5000;
const LAST_WAIT_MS = 15 * 60_000;
/** How long a mailing waits for its relay; `failures` includes the latest one. */
export const relayDelay = (failures: number): number =>
  Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LAST_WAIT_MS);
/** For how long it waits at most if the relay says until when nothing more is accepted. */
export const LONGEST_QUOTA_MS = 24 * 3_600_000;
/** No mailing waits for so long. A time that is later was stored by a clock that was wrong. */
export const LONGEST_RELAY_WAIT_MS = LONGEST_QUOTA_MS + LAST_WAIT_MS;
export const mustWait = (waitsUntil: number | null, now: number): waitsUntil is number =>
  waitsUntil !== null && waitsUntil > now && waitsUntil <= now + LONGEST_RELAY_WAIT_MS;

/** Whether the counters of a mailing agree with the rows of its ledger and add up to what was selected. */
const sumOf = (counts: RecipientCounts): number =>
  recipientStates.reduce((sum, state) => sum + counts[state], 0);

/**
 * When the rows were deleted, only the counters are left. Of a finished mailing, every recipient has an end.
 */
export function isBalanced(
  { state, counts, selected, purgedAt }: Pick<Mailing, "state" | "counts" | "selected" | "purgedAt">,
  rows: RecipientCounts,
): boolean {
  const isCounted = recipientStates.every((one) => counts[one] >= 0) && sumOf(counts) === selected;
  const agrees = purgedAt !== null || recipientStates.every((one) => counts[one] === rows[one]);
  const ended = endStates.reduce((sum, one) => sum + counts[one], 0);
  return isCounted && agrees && (state !== "finished" || ended === selected);
}
