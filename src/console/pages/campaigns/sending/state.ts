/** The state of a composed campaign and of its recipients, in a word. */
import type { Sending } from "../../../../admin/campaigns/sending/progress.ts";
import type { RecipientState } from "../../../../domain/sending/recipient.ts";
import { badge } from "../../../../html/components/badge.ts";
import type { Html } from "../../../../html/html.ts";
import type { Formats } from "../../../kit/formats.ts";
import * as texts from "./state.texts.ts";

export const recipientStates = Object.keys(texts.recipientStates) as readonly RecipientState[];

export const isWaiting = ({ state, waitsUntil }: Sending, now: number): boolean =>
  state === "sending" && waitsUntil !== null && waitsUntil > now;

const showsPercent = ["selecting", "sending", "paused", "held"];

/** Such as "Sending 43 %". */
export function sendingBadge(sending: Sending, { percent }: Formats, now: number): Html {
  const { state, progress } = sending;
  const [label, tone] = texts.states[state];
  const name = isWaiting(sending, now) ? texts.waiting : label;
  const { done, total } = progress;
  // 100 % would look finished.
  const share = total === 0 ? 0 : Math.floor((done / total) * 100) / 100;
  const shown =
    showsPercent.includes(state) && total > 0
      ? texts.withPercent(name, percent(Math.min(share, 0.99)))
      : name;
  return badge(shown, isWaiting(sending, now) ? "warning" : tone);
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
  const { dateTime } = formats;
  if (endedAt !== null && state === "finished") return texts.finished(dateTime(endedAt));
  if (endedAt !== null && state === "cancelled") return texts.cancelled(dateTime(endedAt));
  if (startedAt !== null) return texts.started(dateTime(startedAt));
  if (state === "scheduled" && scheduledAt !== null) return texts.scheduled(dateTime(scheduledAt));
  return texts.created(dateTime(createdAt));
}
