/** `/console/{account}/subscribers/{subscriber}/history`: everything that happened, in pages. */

import { nameReplaced } from "#admin/subscribers/correct.ts";
import { importedAt, type Names } from "#admin/subscribers/names.ts";
import { listHistory } from "#admin/subscribers/record.ts";
import { batchOf, keyOf, type Origin, operatorOf, userOf } from "#domain/access/origin.ts";
import {
  type HistoryEntry,
  type HistoryKind,
  KEPT_FROM_ERASURE,
  readReactivated,
} from "#domain/subscriber/history.ts";
import {
  type ClearableSuppression,
  type SuppressionKind,
  suppressionKinds,
} from "#domain/subscriber/subscriber.ts";
import type { Tone } from "#html/components/badge.ts";
import { card } from "#html/components/page-header.ts";
import { pager } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { type IconName, icon } from "#html/icons.ts";
import { neighbours } from "../../kit/listing.ts";
import { byActor, type KnownActor, linkTo, type ObjectLinks, objectLinks } from "../../kit/object-links.ts";
import { type PageContext, page, titled } from "../../kit/page.ts";
import { basics, emailOf, HISTORY } from "./person-parts.ts";

/** What happened to one thing, newest first. */
interface TimelineEntry {
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

const suppressed: Readonly<Record<ClearableSuppression, (by: Html) => Html>> = {
  unsubscribed: (by) => html`Unsubscribed from all lists ${by}.`,
  bounced: (by) => html`The address was marked as bounced ${by}.`,
  complained: (by) => html`A complaint about mail was recorded ${by}.`,
};
const suppressedIn: Readonly<Record<ClearableSuppression, (campaign: Html | string, by: Html) => Html>> = {
  unsubscribed: (campaign, by) => html`Unsubscribed in the campaign ${campaign}; recorded ${by}.`,
  bounced: (campaign, by) => html`The address bounced in the campaign ${campaign}; recorded ${by}.`,
  complained: (campaign, by) => html`Complained about the campaign ${campaign}; recorded ${by}.`,
};
const quoted = (value: string): Html => html`<q>${value}</q>`;
/** The first one begins the sentence. */
function change(label: string, old: string, value: string): Html {
  if (old === "") return html`${label} set to ${quoted(value)}`;
  if (value === "") return html`${label} removed, which was ${quoted(old)}`;
  return html`${label} changed from ${quoted(old)} to ${quoted(value)}`;
}
const labels: Readonly<Record<string, string>> = { address: "Address", ...basics };
const keptFromErasure: Readonly<Record<ClearableSuppression, string>> = {
  unsubscribed: "The address had unsubscribed before the person was erased. That stays in force.",
  bounced: "The address had bounced before the person was erased. That stays in force.",
  complained: "The person had complained before being erased. That stays in force.",
};

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
  undone: ["left", "info"],
};

/** A change by a key was made by a call. Only where one operation does that, it is known which one. */
const operations: Partial<Record<HistoryKind, string>> = {
  unsubscribed: "Subscriber.Unsubscribe",
  left: "Subscriber.Remove",
};

function actorOf(origin: Origin, { keys, users }: Pick<Names, "keys" | "users">): KnownActor {
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

/**
 * What happened to a subscriber, in plain sentences: each with the key, user, import, list or campaign behind
 * it as a link; `source` is a reason, or the operation that was called. Pure, so that every kind of entry can
 * be tested with every kind of actor.
 */
export function describeEntry(entry: HistoryEntry, names: Names, links: ObjectLinks) {
  const [icon, tone] = looks[entry.kind];
  return { sentence: sentenceOf(entry, names, links), icon, tone, source: sourceOf(entry) };
}

function sentenceOf(entry: HistoryEntry, names: Names, links: ObjectLinks): Html {
  const { kind, origin, detail } = entry;
  const by = byActor(actorOf(origin, names), links);
  const pattern = detail === null ? null : html`<code>${linkTo(links.blocks, detail)}</code>`;
  switch (kind) {
    case "joined":
      return html`${origin.kind === "link" ? "Joined" : "Added to"} the list ${listOf(entry, names, links)} ${by}.`;
    case "left":
      return html`${origin.kind === "link" ? "Left" : "Removed from"} the list ${listOf(entry, names, links)} ${by}.`;
    case "unsubscribed":
    case "bounced":
    case "complained": {
      if (detail === KEPT_FROM_ERASURE) return html`${keptFromErasure[kind]}`;
      const campaign = campaignOf(entry, names, links);
      return campaign === null ? suppressed[kind](by) : suppressedIn[kind](campaign, by);
    }
    case "blocked":
      return pattern === null
        ? html`Blocked by the block list; recorded ${by}.`
        : html`Blocked by the pattern ${pattern}, which was added to the block list ${by}.`;
    case "unblocked":
      return pattern === null
        ? html`No longer blocked; changed ${by}.`
        : html`No longer blocked: the pattern ${pattern} was removed from the block list ${by}.`;
    case "reactivated": {
      const cleared = readReactivated(detail);
      return cleared === null
        ? html`Reactivated ${by}.`
        : html`No longer ${cleared.suppression}: reactivated ${by}.`;
    }
    case "changed":
      return html`${joined(changesOf(entry, names))} ${by}.`;
    case "undone": {
      const removed = entry.list === null ? [] : [html`removed from the list ${listOf(entry, names, links)}`];
      const changes = entry.replaced === null ? [] : changesOf(entry, names);
      return html`Undone ${by}: ${detail ?? "an import"}; ${joined([...removed, ...changes])}.`;
    }
  }
}

const joined = (changes: readonly Html[]): readonly Html[] =>
  changes.map((one, at) => html`${at === 0 ? "" : at === changes.length - 1 ? " and " : ", "}${one}`);

function changesOf({ replaced }: HistoryEntry, { fields }: Names): readonly Html[] {
  const named = nameReplaced(replaced ?? [], fields);
  if (named.length === 0) return [html`Values changed`];
  return named.map((one) =>
    change(one.fieldId === null ? (labels[one.field] ?? one.field) : one.field, one.old, one.new),
  );
}

function listOf({ list }: HistoryEntry, { lists }: Names, links: ObjectLinks): Html | string {
  const found = lists.find(({ id }) => id === list);
  return found === undefined ? `${list ?? 0}, which was deleted` : linkTo(links.list(found.id), found.name);
}
function campaignOf({ campaign }: HistoryEntry, { campaigns }: Names, links: ObjectLinks) {
  if (campaign === null) return null;
  const name = campaigns.get(campaign);
  return name === undefined ? `${campaign}, which was deleted` : linkTo(links.campaign(campaign), name);
}

function sourceOf({ kind, origin, campaign, detail }: HistoryEntry): string | null {
  if (kind === "reactivated" && detail !== null)
    return `Reason: ${readReactivated(detail)?.reason ?? detail}`;
  const operation = origin.kind === "key" && campaign === null ? operations[kind] : undefined;
  return operation === undefined ? null : `Operation ${operation}`;
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

export function historyTimeline(context: PageContext, entries: readonly HistoryEntry[], names: Names): Html {
  if (entries.length === 0) return html`<p>Nothing is recorded yet.</p>`;
  const links = objectLinks(context);
  const { formats } = context;
  return timeline(
    entries.map((entry) => {
      const described = describeEntry(entry, names, links);
      const imported = importedAt(entry, names);
      return {
        ...described,
        ...(imported === null
          ? { time: formats.dateTime(entry.at) }
          : {
              time: `Imported on ${formats.dateTime(imported)}`,
              source: `${entry.kind === "joined" ? "Member since" : "Since"} ${formats.date(entry.at)}`,
            }),
        machineTime: new Date(imported ?? entry.at).toISOString(),
      };
    }),
  );
}

const PAGE_ENTRIES = 50;

export const historyPage = page({
  path: HISTORY,
  show: async (context) => {
    const of = { id: context.params.subscriber };
    const { rows, next, previous, names } = await context.list(listHistory, { ...of, limit: PAGE_ENTRIES });
    const parent = { label: await emailOf(context, of.id), href: objectLinks(context).subscriber(of.id) };
    return titled(
      {
        title: "History",
        parent,
        description: "The newest first, with the person or program behind each change.",
      },
      html`${card(historyTimeline(context, rows, names))}
${pager({
  text: "",
  ...neighbours(context.path, { previous, next }),
})}`,
    );
  },
});
