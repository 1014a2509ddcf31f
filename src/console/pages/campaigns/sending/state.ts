/** The state of a composed campaign and of its recipients, in a word. */
import type { Sending } from "#admin/campaigns/sending/progress.ts";
import type { Formats } from "#console/kit/formats.ts";
import type { RecipientState } from "#domain/sending/recipient.ts";
import { badge } from "#html/components/badge.ts";
import type { Html } from "#html/html.ts";
import * as texts from "./state.texts.ts";

export const recipientStates = Object.keys(texts.recipientStates) as readonly RecipientState[];

export const isWaiting = ({ waitsFor }: Sending): boolean => waitsFor !== null;

const showsPercent = ["selecting", "sending", "paused", "held"];

/** null: nobody is selected, or it is not being sent. */
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
  const [label, tone] = texts.states[sending.state];
  return isWaiting(sending) ? badge(texts.waiting, "warning") : badge(label, tone);
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
  const [label, tone] = texts.states[sending.state];
  const [name, look] = isWaiting(sending) ? ([texts.waiting, "warning"] as const) : [label, tone];
  const percent = percentOf(sending, formats);
  return badge(percent === null ? name : texts.withPercent(name, percent), look);
}

export function recipientBadge(state: RecipientState): Html {
  const [label, tone] = texts.recipientStates[state];
  return badge(label, tone);
}

/** A sentence for the top of the page. */
export function sinceText(
  { state, scheduledAt, startedAt, endedAt }: Sending,
  createdAt: number,
  formats: Formats,
) {
  const { dateTime, zonedDateTime } = formats;
  if (endedAt !== null && state === "finished") return texts.finished(dateTime(endedAt));
  if (endedAt !== null && state === "cancelled") return texts.cancelled(dateTime(endedAt));
  if (startedAt !== null) return texts.started(dateTime(startedAt));
  if (state === "scheduled" && scheduledAt !== null) return texts.scheduled(zonedDateTime(scheduledAt));
  return texts.created(dateTime(createdAt));
}
