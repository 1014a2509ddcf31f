import type { MailingState } from "#domain/sending/mailing.ts";
import { DEFERRED_HOURS, type RecipientState } from "#domain/sending/recipient.ts";
import type { Tone } from "#html/components/badge.ts";

export const states: Readonly<Record<MailingState, readonly [label: string, tone: Tone]>> = {
  draft: ["Draft", "neutral"],
  scheduled: ["Scheduled", "waiting"],
  selecting: ["Selecting", "info"],
  sending: ["Sending", "info"],
  paused: ["Paused", "warning"],
  held: ["Held", "warning"],
  finished: ["Finished", "good"],
  cancelled: ["Cancelled", "neutral"],
};
export const waiting = "Waiting";
export const withPercent = (label: string, percent: string): string => `${label} ${percent}`;

/** In the order in which they are shown. */
export const recipientStates: Readonly<
  Record<RecipientState, readonly [label: string, tone: Tone, meaning: string]>
> = {
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

export const started = (at: string): string => `Started on ${at}`;
export const finished = (at: string): string => `Finished on ${at}`;
export const cancelled = (at: string): string => `Cancelled on ${at}`;
export const scheduled = (at: string): string => `Starts on ${at}`;
export const created = (at: string): string => `Created on ${at}`;
