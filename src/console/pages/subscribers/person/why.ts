/** Whether a subscriber gets mail and, if not, the causes in plain sentences. */
import type { Names } from "#admin/subscribers/names.ts";
import { objectLinks } from "#console/kit/addresses/object-links.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { SubscriberRecord } from "#domain/ports/subscribers.ts";
import { notice } from "#html/components/feedback.ts";
import { type Html, html } from "#html/html.ts";
import { causesOf, describeEntry } from "./history/sentences.ts";
import * as texts from "./person.texts.ts";

/** `record.history`: the newest first. */
export function whyPart(visit: Visit, record: SubscriberRecord, names: Names): Html {
  const causes = causesOf(record.suppressions, record.history);
  if (causes.length === 0) return whereMailed(visit, record);
  const links = objectLinks(visit);
  const sentences = causes.map(({ kind, since, entry }) => {
    if (entry === null)
      return html`${texts.causeUnknown(kind)}, ${texts.since} ${visit.formats.time(since)}.`;
    const { sentence, source } = describeEntry(entry, names, links);
    return html`${sentence} <span class="hint">${visit.formats.time(since)}${source === null ? null : html` · ${source}`}</span>`;
  });
  return notice(
    causes.some(({ kind }) => kind === "blocked" || kind === "complained") ? "warning" : "info",
    texts.notMailed,
    html`${paragraphOrList(sentences)}${record.lists.length === 0 ? null : html`<p>${texts.suspended}</p>`}`,
  );
}

const paragraphOrList = (sentences: readonly Html[]): Html =>
  sentences.length === 1
    ? html`<p>${sentences}</p>`
    : html`<ul>${sentences.map((one) => html`<li>${one}</li>`)}</ul>`;

function whereMailed({ formats }: Visit, { lists }: SubscriberRecord): Html {
  const counted = lists.filter(({ counts }) => counts).length;
  if (counted > 0) return notice("good", texts.mailed(texts.onLists(counted, formats.number(counted))));
  return lists.length === 0
    ? notice("info", texts.onNoList, texts.onNoListText)
    : notice("info", texts.pendingOnly, texts.pendingText);
}
