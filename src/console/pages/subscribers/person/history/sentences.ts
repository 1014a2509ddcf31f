/**
 * What happened to a subscriber, in plain sentences: each with the key, user, import, list or campaign behind
 * it as a link. Pure, so that every kind of entry can be tested with every kind of actor.
 */
import type { Names } from "#admin/subscribers/names.ts";
import { nameReplaced } from "#admin/subscribers/replaced.ts";
import { byActor, type KnownActor, linkTo, type ObjectLinks } from "#console/kit/addresses/object-links.ts";
import { batchOf, keyOf, type Origin, operatorOf, userOf } from "#domain/access/origin.ts";
import {
  type HistoryEntry,
  type HistoryKind,
  KEPT_FROM_ERASURE,
  readReactivated,
} from "#domain/subscriber/history.ts";
import { type SuppressionKind, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import type { Tone } from "#html/components/badge.ts";
import { type Html, html } from "#html/html.ts";
import type { IconName } from "#html/icons.ts";
import * as texts from "./sentences.texts.ts";

export interface DescribedEntry {
  readonly sentence: Html;
  readonly icon: IconName;
  readonly tone: Tone;
  /** A reason, or the operation that was called. */
  readonly source: string | null;
}

const looks: Readonly<Record<HistoryKind, readonly [IconName, Tone]>> = {
  joined: ["plus", "good"],
  left: ["close", "neutral"],
  unsubscribed: ["sign_out", "neutral"],
  bounced: ["bounce", "warning"],
  complained: ["warning", "bad"],
  blocked: ["block", "bad"],
  unblocked: ["check", "info"],
  reactivated: ["check", "good"],
  changed: ["edit", "info"],
};

/** A change by a key was made by a call. Only where one operation does that, it is known which one. */
const operations: Partial<Record<HistoryKind, string>> = {
  unsubscribed: "Subscriber.Unsubscribe",
  left: "Subscriber.Remove",
};

export function actorOf(origin: Origin, { keys, users }: Pick<Names, "keys" | "users">): KnownActor {
  const [key, user] = [keyOf(origin), userOf(origin)];
  const named = keys.find(({ id }) => id === key);
  const keyName =
    named === undefined ? null : named.label === "" ? `${named.hint}…` : `${named.label} (${named.hint}…)`;
  return {
    kind: origin.kind,
    id: key ?? user ?? batchOf(origin),
    name: keyName ?? (user === null ? operatorOf(origin) : (users.get(user) ?? null)),
  };
}

export function describeEntry(entry: HistoryEntry, names: Names, links: ObjectLinks): DescribedEntry {
  const [icon, tone] = looks[entry.kind];
  return { sentence: sentenceOf(entry, names, links), icon, tone, source: sourceOf(entry) };
}

function sentenceOf(entry: HistoryEntry, names: Names, links: ObjectLinks): Html {
  const { kind, origin, detail } = entry;
  const by = byActor(actorOf(origin, names), links);
  const pattern = detail === null ? null : html`<code>${linkTo(links.blocks, detail)}</code>`;
  switch (kind) {
    case "joined":
      return (origin.kind === "link" ? texts.joinedAlone : texts.joined)(listOf(entry, names, links), by);
    case "left":
      return (origin.kind === "link" ? texts.leftAlone : texts.left)(listOf(entry, names, links), by);
    case "unsubscribed":
    case "bounced":
    case "complained": {
      if (detail === KEPT_FROM_ERASURE) return html`${texts.keptFromErasure[kind]}`;
      const campaign = campaignOf(entry, names, links);
      return campaign === null ? texts.suppressed[kind](by) : texts.suppressedIn[kind](campaign, by);
    }
    case "blocked":
      return pattern === null ? texts.blocked(by) : texts.blockedBy(pattern, by);
    case "unblocked":
      return pattern === null ? texts.unblocked(by) : texts.unblockedBy(pattern, by);
    case "reactivated": {
      const cleared = readReactivated(detail);
      return cleared === null ? texts.reactivated(by) : texts.noLonger(cleared.suppression, by);
    }
    case "changed":
      return texts.changed(changesOf(entry, names), by);
  }
}

function changesOf({ replaced }: HistoryEntry, { fields }: Names): readonly Html[] {
  const named = nameReplaced(replaced ?? [], fields);
  if (named.length === 0) return [texts.nothingNamed];
  return named.map((one) =>
    texts.change(one.fieldId === null ? (texts.labels[one.field] ?? one.field) : one.field, one.old, one.new),
  );
}

function listOf({ list }: HistoryEntry, { lists }: Names, links: ObjectLinks): Html | string {
  const found = lists.find(({ id }) => id === list);
  return found === undefined ? texts.goneList(list ?? 0) : linkTo(links.list(found.id), found.name);
}
function campaignOf({ campaign }: HistoryEntry, { campaigns }: Names, links: ObjectLinks) {
  if (campaign === null) return null;
  const name = campaigns.get(campaign);
  return name === undefined ? texts.goneCampaign(campaign) : linkTo(links.campaign(campaign), name);
}

function sourceOf({ kind, origin, campaign, detail }: HistoryEntry): string | null {
  if (kind === "reactivated" && detail !== null)
    return texts.reason(readReactivated(detail)?.reason ?? detail);
  const operation = origin.kind === "key" && campaign === null ? operations[kind] : undefined;
  return operation === undefined ? null : texts.through(operation);
}

/** For each suppression in force, the strongest first: the entry that began it, if it is among `history`. */
export function causesOf(
  suppressions: Readonly<Record<SuppressionKind, number | null>>,
  history: readonly HistoryEntry[],
): readonly {
  readonly kind: SuppressionKind;
  readonly since: number;
  readonly entry: HistoryEntry | null;
}[] {
  return suppressionKinds.flatMap((kind) => {
    const since = suppressions[kind];
    if (since === null) return [];
    const ofKind = history.filter((entry) => entry.kind === kind);
    return [{ kind, since, entry: ofKind.find(({ at }) => at === since) ?? ofKind[0] ?? null }];
  });
}
