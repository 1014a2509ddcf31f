/** What happened to one thing, newest first. */
import { type Html, html } from "../html.ts";
import { type IconName, icon } from "../icons.ts";
import type { Tone } from "./badge.ts";

export interface TimelineEntry {
  /** One plain sentence. */
  readonly sentence: Html | string;
  /** As the user reads it, and for machines. */
  readonly time: string;
  readonly machineTime: string;
  readonly icon: IconName;
  readonly tone?: Tone;
  /** The call, key, user or campaign behind it. */
  readonly source?: Html | string | null;
}

export const timeline = (entries: readonly TimelineEntry[]): Html => html`<ol class="timeline">
${entries.map(
  (
    entry,
  ) => html`<li><span class="timeline-sign ${entry.tone ?? "neutral"}">${icon(entry.icon)}</span><div><p>${entry.sentence}</p><p class="timeline-source"><time datetime="${entry.machineTime}">${entry.time}</time>${
    entry.source == null ? null : html`<span>${entry.source}</span>`
  }</p></div></li>
`,
)}</ol>`;
