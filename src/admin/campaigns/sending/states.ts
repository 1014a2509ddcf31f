/** The states of a composed campaign in words, and why a state does not allow a change. */
import type { CampaignId } from "#domain/campaign.ts";
import { type Mailing, type MailingChange, type MailingState, mayRetry } from "#domain/sending/mailing.ts";
import { NotPossible } from "../../kit/errors.ts";

const timeText = (at: number | null): string => (at === null ? "now" : new Date(at).toISOString());

/** A sentence without its subject. */
const stateTexts: Readonly<Record<MailingState, (mailing: Mailing) => string>> = {
  draft: () => "is a draft",
  scheduled: ({ scheduledAt }) => `is scheduled for ${timeText(scheduledAt)}`,
  selecting: () => "is about to be sent; its recipients are being selected",
  sending: () => "is being sent",
  paused: () => "is paused",
  held: ({ reason }) => `is held${reason === null ? "" : ` (${reason})`}`,
  finished: () => "was sent",
  cancelled: () => "was cancelled",
};
export const stateText = (mailing: Mailing): string => stateTexts[mailing.state](mailing);

const SENT = "what was sent cannot be changed; compose a new campaign";
const ENDED = "to send it once more, compose a new campaign";
const RETRY = "only a retry sends it again, to recipients who are failed or unknown";
type Change = MailingChange | "edit" | "retry";
/** Where a state is missing, it allows the change. */
const advice: Readonly<Record<Change, Partial<Readonly<Record<MailingState, string>>>>> = {
  schedule: {
    selecting: "to stop it, pause it",
    sending: "to stop it, pause it",
    paused: "resume it instead",
    held: "resume it instead",
    finished: ENDED,
    cancelled: ENDED,
  },
  unschedule: {
    draft: "there is nothing to take back",
    selecting: "pause or cancel it instead",
    sending: "pause or cancel it instead",
    paused: "cancel it instead",
    held: "cancel it instead, or resume it",
    finished: ENDED,
    cancelled: ENDED,
  },
  pause: {
    draft: "there is nothing to pause",
    scheduled: "unschedule it instead",
    paused: "resume it when it should go on",
    held: "nothing is sent until somebody resumes it",
    finished: ENDED,
    cancelled: ENDED,
  },
  resume: {
    draft: "send it instead",
    scheduled: "it starts by itself",
    selecting: "it goes on by itself; pause or cancel it to stop it",
    sending: "it goes on by itself; pause or cancel it to stop it",
    finished: ENDED,
    cancelled: ENDED,
  },
  cancel: { draft: "delete it instead", finished: ENDED, cancelled: ENDED },
  edit: {
    scheduled: "unschedule it first, then change it",
    selecting: SENT,
    sending: SENT,
    paused: SENT,
    finished: SENT,
    cancelled: SENT,
    held: "what was scheduled cannot be changed; cancel it, and compose a new campaign",
  },
  retry: {
    draft: "nothing of it was sent",
    scheduled: "nothing of it was sent",
    selecting: "nothing of it was sent",
    finished: "what became of each recipient is not stored any more, so nobody can be tried again",
    cancelled: "what became of each recipient is not stored any more, so nobody can be tried again",
  },
};

/** Why the campaign cannot be changed so now, and what to do. */
export function wrongState(mailing: Mailing, change: keyof typeof advice): NotPossible {
  const wanted = advice[change][mailing.state];
  const next = wanted === ENDED && mayRetry(mailing) ? `${RETRY}; ${ENDED}` : wanted;
  return new NotPossible(
    `campaign ${mailing.campaign} ${stateText(mailing)}${next === undefined ? "" : `; ${next}`}`,
  );
}

export const stillRestoring = (campaign: CampaignId): NotPossible =>
  new NotPossible(
    `campaign ${campaign} was cancelled during a retry, and its recipients are still being restored to what they were before; try again in a minute`,
  );
