import type { RetriedState } from "#domain/sending/recipient.ts";
import { quoted } from "#html/names.ts";

export const back = "Cancel";
const recipients = (count: string): string => (count === "1" ? "1 recipient" : `${count} recipients`);

export const resume = {
  title: (called: string): string => `Resume ${quoted(called)}`,
  question: "Continue sending?",
  affected: (count: string): string => `${recipients(count)} left`,
  goesOn: "It continues where it stopped, within a few seconds.",
  once: "Nobody who got it gets it again.",
  held: "After a restore of the database, some recipients may have got it although they are counted as queued. Check the log of the relay before you resume it.",
  reason: (reason: string): string => `It stopped because: ${reason}`,
  confirm: "Resume",
  done: "The campaign continues within a few seconds.",
} as const;

/** The recipients of the campaign are not all selected yet, so nobody has got it. */
export const resumeStart = {
  question: "Start this campaign?",
  questionLater: "Schedule this campaign again?",
  affected: "Everybody who is active on its lists when it starts",
  lists: (lists: string): string => `Its lists, with their active subscribers now: ${lists}.`,
  excluded: (lists: string): string => `Subscribers of these lists do not get it: ${lists}.`,
  list: (called: string, members: string): string => `${quoted(called)} (${members})`,
  others: (count: string): string => (count === "1" ? "1 other list" : `${count} other lists`),
  atOnce: "It starts at once.",
  startsAt: (at: string): string => `It starts on ${at}.`,
  held: "If the database was restored or copied, the original installation may have sent the campaign already. Check the log of the relay before you resume it.",
  reason: (reason: string): string => `It has not started because: ${reason}`,
} as const;

export const cancel = {
  title: (called: string): string => `Cancel ${quoted(called)}`,
  question: "Cancel this campaign?",
  affected: (count: string): string => `${recipients(count)} will not get it`,
  stops: "Nobody else gets it. What was sent stays sent.",
  noReturn: "It cannot be resumed.",
  pauseInstead: "It cannot be resumed. To stop it for a while, pause it instead.",
  unscheduleInstead: "It cannot be resumed. To change the campaign or its time, unschedule it instead.",
  nobody: "Nobody gets it",
  notStarted: "It has not started, so nothing was sent.",
  confirm: "Cancel the campaign",
  keep: "Keep it",
  done: "The campaign is cancelled.",
} as const;

/** The campaign has ended, and failed or unknown recipients are about to be tried again. */
export const cancelRetry = {
  question: "Stop the retry of this campaign?",
  affected: "Failed and unknown recipients stay as they are",
  stops: "Nobody is tried again. What was sent stays sent.",
} as const;

export const retry = {
  title: (called: string): string => `Retry ${quoted(called)}`,
  question: {
    failed: "Send it again to all failed recipients?",
    unknown: "Send it again to all unknown recipients?",
  },
  affected: recipients,
  risk: {
    failed:
      "The relay refused these messages. An address that does not exist may harm the reputation of the sender.",
    unknown: "Recipients who already got the message get it twice.",
  },
  others: (count: string): string =>
    `Not sent to ${recipients(count)} who bounced, opted out, complained, ${count === "1" ? "was" : "were"} blocked or left the lists. If the relay reported bounces by mistake, clear the bounces of the campaign first.`,
  confirm: "Send again",
  done: (count: string): string =>
    count === "0" ? "Nobody is left to be tried again." : `${recipients(count)} will be tried again.`,
} as const satisfies Record<string, unknown> & {
  readonly question: Readonly<Record<RetriedState, string>>;
};

export const paused = "The campaign is paused. Messages that are being handed over are finished first.";
export const unscheduled = "The campaign is a draft again.";
