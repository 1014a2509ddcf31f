/**
 * What a person can undo: whatever the link in a message did within the last ten minutes, unless another
 * opt-out asked for the same meanwhile. The history tells; nothing else is stored for it.
 */
import type { CampaignId } from "../campaign.ts";
import type { ListId } from "../list.ts";
import type { SubscriberChange } from "./change.ts";
import { changeSuppression } from "./change.ts";
import {
  type Cause,
  type HistoryEntry,
  type HistoryKind,
  historyEntry,
  reactivatedDetail,
  readReactivated,
} from "./history.ts";
import type { Suppressions } from "./subscriber.ts";
import { isCounted } from "./subscriber.ts";

/** For how long a person can undo. */
export const UNDO_MS = 600_000;

const others: readonly Cause["origin"]["kind"][] = ["key", "operator", "user"];
/**
 * Whether a repeated opt-out is one that an undo must not clear; `since` is when the first one was. A file
 * may contain an opt-out that the link has reported. For links, `isOptOutOfOtherLink` decides.
 */
export const isFurtherOptOut = ({ at, origin }: Cause, since: number): boolean =>
  at - since < UNDO_MS && others.includes(origin.kind);

/** The detail of leaving a list, from which it can be undone exactly. */
export const leftDetail = (joinedAt: number): string =>
  `on the list since ${new Date(joinedAt).toISOString()}`;
function readLeft(detail: string | null): number | null {
  const [, time] = /^on the list since (\S+)$/.exec(detail ?? "") ?? [];
  return time === undefined ? null : Date.parse(time);
}

export interface LeftList {
  readonly list: ListId;
  readonly joinedAt: number;
  readonly at: number;
}
export interface Undoable {
  /** When the link unsubscribed the person. */
  readonly optOutAt: number | null;
  /** The lists that it has removed the person from. */
  readonly lists: readonly LeftList[];
}

/** The kinds of entries that `undoable` needs. */
export const undoKinds = [
  "joined",
  "left",
  "unsubscribed",
  "complained",
  "blocked",
  "reactivated",
] as const satisfies readonly HistoryKind[];
export type UndoEntry = Pick<HistoryEntry, "at" | "campaign" | "list" | "detail"> & {
  readonly kind: (typeof undoKinds)[number];
  readonly origin: HistoryEntry["origin"]["kind"];
};

/**
 * The opt-out by a link that can be undone, if no later opt-out asked for the same. It is the entry that has
 * started the suppression, and the last one about it. `entries` are the history of the person, the newest
 * first.
 */
function undoableOptOut(
  entries: readonly UndoEntry[],
  { unsubscribed }: Suppressions,
  now: number,
): UndoEntry | null {
  const last = entries.find(concernsOptOut);
  const first = entries.findLast(({ kind, at }) => kind === "unsubscribed" && at === unsubscribed);
  const isUndoable = last !== undefined && last === first && isByLink(last, now);
  return isUndoable ? last : null;
}
const isByLink = ({ origin, at }: UndoEntry, now: number): boolean => origin === "link" && now - at < UNDO_MS;

/** Whether the link of another campaign could still undo the opt-out that this campaign's link repeats. */
export const isOptOutOfOtherLink = (
  entries: readonly UndoEntry[],
  held: Suppressions,
  { at, campaign }: { readonly at: number; readonly campaign: CampaignId },
): boolean => {
  const optOut = undoableOptOut(entries, held, at);
  return optOut !== null && optOut.campaign !== campaign;
};

/** `entries` are the history of the person, the newest first. */
export function undoable(
  entries: readonly UndoEntry[],
  {
    campaign,
    held,
    now,
  }: { readonly campaign: CampaignId; readonly held: Suppressions; readonly now: number },
): Undoable {
  const isOwn = (entry: UndoEntry): boolean => isByLink(entry, now) && entry.campaign === campaign;
  const optOut = undoableOptOut(entries, held, now);
  const seen = new Set<ListId>();
  const lists: LeftList[] = [];
  for (const entry of entries) {
    const { kind, list, at, detail } = entry;
    // What was done before another opt-out is not undone.
    if (concernsOptOut(entry) && kind !== "reactivated" && !isOwn(entry)) break;
    if (list === null || seen.has(list)) continue;
    seen.add(list);
    const joinedAt = kind === "left" && isOwn(entry) ? readLeft(detail) : null;
    if (joinedAt !== null) lists.push({ list, joinedAt, at });
  }
  return { optOutAt: optOut !== null && isOwn(optOut) ? optOut.at : null, lists };
}

/** A complaint or a block says that the person wants no mail, too. */
function concernsOptOut({ kind, detail }: UndoEntry): boolean {
  if (kind === "reactivated")
    return (readReactivated(detail)?.suppression ?? "unsubscribed") === "unsubscribed";
  return kind !== "joined" && kind !== "left";
}

/** Until when it can be undone; null: there is nothing to undo. */
export function undoableUntil({ optOutAt, lists }: Undoable): number | null {
  const times = [...(optOutAt === null ? [] : [optOutAt]), ...lists.map(({ at }) => at)];
  return times.length === 0 ? null : Math.max(...times) + UNDO_MS;
}

/** The times of joining are restored by the store, apart from these changes. */
export function decideUndo(
  { optOutAt, lists }: Undoable,
  held: Suppressions,
  cause: Cause & { readonly campaign: CampaignId },
): readonly SubscriberChange[] {
  const { at, campaign } = cause;
  const optOut =
    optOutAt === null
      ? []
      : changeSuppression(
          held,
          "unsubscribed",
          false,
          historyEntry("reactivated", cause, { campaign, detail: reactivatedDetail("unsubscribed", UNDONE) }),
        );
  const after: Suppressions = optOutAt === null ? held : { ...held, unsubscribed: null };
  const joins = lists.flatMap(({ list }): readonly SubscriberChange[] => [
    { kind: "join", list, at, status: "active", counted: isCounted(after, "active") },
    { kind: "add-history", entry: historyEntry("joined", cause, { campaign, list, detail: UNDONE }) },
  ]);
  return [...optOut, ...joins];
}
const UNDONE = "the person undid it";
