/** The state of a composed campaign and of its recipients, in a word. */

import type { Sending } from "#admin/campaigns/send.ts";
import { isLeftOut, type MailingState } from "#domain/sending/mailing.ts";
import { DEFERRED_HOURS, type Recipient, type RecipientState } from "#domain/sending/recipient.ts";
import { badge, type Tone } from "#html/components/badge.ts";
import type { Html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";

const states: Readonly<Record<MailingState, readonly [label: string, tone: Tone]>> = {
  draft: ["Draft", "neutral"],
  scheduled: ["Scheduled", "waiting"],
  selecting: ["Selecting", "info"],
  sending: ["Sending", "info"],
  paused: ["Paused", "warning"],
  held: ["Held", "warning"],
  finished: ["Finished", "good"],
  cancelled: ["Cancelled", "neutral"],
};
type StateName = readonly [label: string, tone: Tone, meaning: string];
/** In the order in which they are shown. */
const recipientStateNames: Readonly<Record<RecipientState, StateName>> = {
  sent: ["Sent", "good", "The relay accepted the message."],
  queued: ["Queued", "neutral", "The message is not sent yet."],
  sending: ["Sending", "info", "The message is being handed over to the relay."],
  deferred: ["Deferred", "waiting", "The relay asked to try again later. Mailroll does so automatically."],
  failed: [
    "Failed",
    "bad",
    `The relay refused the message, or ${DEFERRED_HOURS} hours of attempts had no success.`,
  ],
  skipped: ["Skipped", "neutral", "Not sent, for example because they unsubscribed meanwhile."],
  unknown: [
    "Unknown",
    "warning",
    "The connection was lost after the last byte, or the process was killed. Nobody knows whether the relay accepted the message, so it is not sent again.",
  ],
};

export const recipientStates = Object.keys(recipientStateNames) as readonly RecipientState[];

const leftOutNames: Partial<Readonly<Record<RecipientState, StateName>>> = {
  queued: ["Not sent", "neutral", "The campaign was cancelled before the message was sent."],
  deferred: [
    "Not sent, deferred",
    "neutral",
    "The relay asked to try again later, and the campaign was cancelled before that.",
  ],
};
const WRITTEN = "Written to files";
/** Without a mail server, a campaign and its sender carry this. */
export const writtenBadge = badge(WRITTEN, "warning");
const writtenName: StateName = [
  WRITTEN,
  "warning",
  "There is no mail server: the messages were written to files, and not sent.",
];
/** Of a recipient of a campaign in a state. */
export function recipientStateName(
  state: RecipientState,
  campaign: MailingState,
  isWritten = false,
): StateName {
  if (isWritten && state === "sent") return writtenName;
  return (isLeftOut(state, campaign) ? leftOutNames[state] : undefined) ?? recipientStateNames[state];
}

export const isWaiting = ({ waitsFor }: Sending): boolean => waitsFor !== null;

const showsPercent = ["selecting", "sending", "paused", "held"];

/** null: no recipients are selected, or it is not being sent. */
export function percentOf(
  { state, progress: { done, total } }: Sending,
  { percent }: Formats,
): string | null {
  if (total === 0 || !showsPercent.includes(state)) return null;
  // 100 % would look finished.
  return percent(Math.min(Math.floor((done / total) * 100) / 100, 0.99));
}

/** Without a number, which would not stay right while a page is open. */
export function stateBadge(sending: Sending): Html {
  const [label, tone] = states[sending.state];
  return isWaiting(sending) ? badge("Waiting", "warning") : badge(label, tone);
}

/**
 * What the header of the page depends on: the badge, the time of the start, and which actions there are. An
 * open page is shown again when it differs, so nothing in it changes with every message.
 */
export function headerOf(sending: Sending): string {
  const { state, scheduledAt, selected, counts } = sending;
  const has: readonly (readonly [name: string, isSo: boolean])[] = [
    ["waiting", isWaiting(sending)],
    ["selected", selected > 0],
    ["failed", counts.failed > 0],
    ["unknown", counts.unknown > 0],
  ];
  return [
    state,
    ...(state === "scheduled" ? [scheduledAt] : []),
    ...has.flatMap(([name, isSo]) => (isSo ? [name] : [])),
  ].join("-");
}

/** Such as "Sending 43 %". */
export function sendingBadge(sending: Sending, formats: Formats): Html {
  const [label, tone] = states[sending.state];
  const [name, look] = isWaiting(sending) ? (["Waiting", "warning"] as const) : [label, tone];
  const percent = percentOf(sending, formats);
  return badge(percent === null ? name : `${name} ${percent}`, look);
}

export function recipientBadge(
  { state, code }: Pick<Recipient, "state" | "code">,
  campaign: MailingState,
): Html {
  const [label, tone] = recipientStateName(state, campaign, code === null);
  return badge(label, tone);
}

/** A sentence for the top of the page. */
export function sinceText(
  { state, scheduledAt, startedAt, endedAt }: Sending,
  createdAt: number,
  formats: Formats,
) {
  const { dateTime, zonedDateTime } = formats;
  if (endedAt !== null && state === "finished") return `Finished on ${dateTime(endedAt)}`;
  if (endedAt !== null && state === "cancelled") return `Cancelled on ${dateTime(endedAt)}`;
  if (startedAt !== null) return `Started on ${dateTime(startedAt)}`;
  if (state === "scheduled" && scheduledAt !== null) return `Starts on ${zonedDateTime(scheduledAt)}`;
  return `Created on ${dateTime(createdAt)}`;
}
