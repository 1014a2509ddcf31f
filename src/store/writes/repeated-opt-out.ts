/**
 * A repeated opt-out is recorded only if a link could otherwise undo what it did (`undo.ts`): if the newest
 * of these entries is by a link. So a program that repeats a call adds one entry, not one for each call.
 */
import type { HistoryEntry } from "#domain/subscriber/history.ts";

export const concernsLinks = ({ kind, origin }: Pick<HistoryEntry, "kind" | "origin">): boolean =>
  kind === "unsubscribed" || (kind === "left" && origin.kind === "link");

/** The same in SQL, of stored entries; `condition` selects the subscriber. */
export const newestIsByLink = (condition: string): string =>
  `(SELECT h.origin
    FROM history AS h
    WHERE ${condition} AND (h.kind = 'unsubscribed' OR (h.kind = 'left' AND h.origin = 'link'))
    ORDER BY h.id DESC
    LIMIT 1) = 'link'`;
