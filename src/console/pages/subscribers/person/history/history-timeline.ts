/** Entries of the history as a timeline. */
import type { Names } from "#admin/subscribers/names.ts";
import { objectLinks } from "#console/kit/addresses/object-links.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { HistoryEntry } from "#domain/subscriber/history.ts";
import { timeline } from "#html/components/timeline.ts";
import { type Html, html } from "#html/html.ts";
import * as texts from "../person.texts.ts";
import { describeEntry } from "./sentences.ts";

export function historyTimeline(visit: Visit, entries: readonly HistoryEntry[], names: Names): Html {
  if (entries.length === 0) return html`<p>${texts.noHistory}</p>`;
  const links = objectLinks(visit);
  return timeline(
    entries.map((entry) => ({
      ...describeEntry(entry, names, links),
      time: visit.formats.dateTime(entry.at),
      machineTime: new Date(entry.at).toISOString(),
    })),
  );
}
