/** A state in one word: quiet, and never by colour alone. */
import { type Html, html } from "../html.ts";

export type Tone = "good" | "waiting" | "neutral" | "warning" | "bad" | "info";

export const badge = (text: string, tone: Tone = "neutral"): Html =>
  html`<span class="badge ${tone}">${text}</span>`;

/** The states of a subscriber. */
const states = {
  active: ["Active", "good"],
  pending: ["Pending", "info"],
  unsubscribed: ["Unsubscribed", "neutral"],
  bounced: ["Bounced", "warning"],
  complained: ["Complained", "bad"],
  blocked: ["Blocked", "bad"],
  removed: ["Removed", "neutral"],
} as const satisfies Readonly<Record<string, readonly [string, Tone]>>;
export type SubscriberState = keyof typeof states;
export const subscriberStates = Object.keys(states) as readonly SubscriberState[];

export function stateBadge(state: SubscriberState): Html {
  const [text, tone] = states[state];
  return badge(text, tone);
}
