/** What a provider tells about a message after it took it, in one form for all providers. */
import type { CampaignEvent } from "../campaign.ts";

export const providerEventKinds = [
  /** The address does not exist, or takes no mail of anybody. */
  "hard",
  /** Not delivered this time. */
  "soft",
  "complaint",
  "unsubscribe",
  "delivered",
  /** Not delivered for the content or the sender: it says nothing about the person. */
  "rejected",
] as const;
export type ProviderEventKind = (typeof providerEventKinds)[number];

export interface ProviderEvent {
  /** Of the provider: the same event has the same id, however often it comes. */
  readonly id: string;
  /** As the provider wrote it. */
  readonly address: string;
  readonly kind: ProviderEventKind;
  readonly at: number;
  /** The token of the message (`makeBounceToken`), which came back with the event; not verified yet. */
  readonly token: string | null;
  /** The words of the server that refused, or of the provider. */
  readonly detail: string | null;
}
export const MAX_EVENT_ID = 500;
export const MAX_EVENT_DETAIL = 500;

/** The policy of every account. */
export const policy = {
  /** What came is remembered for so long; what is older changes nothing. So nothing counts twice. */
  rememberedDays: 30,
  /** Soft bounces on so many different days (UTC) within the window are a hard bounce. */
  softDays: 5,
  softWindowDays: 60,
  /** Complaints that pause a campaign: above the share, of enough messages. */
  complaints: { share: 0.003, least: 5, ofSent: 500 },
  /** Of events that matched nobody, for each sender. */
  unmatchedKept: 10_000,
} as const;

/** Which suppression an event is; null: none, at least not by itself. */
export const suppressionOf: Readonly<Record<ProviderEventKind, CampaignEvent | null>> = {
  hard: "bounced",
  complaint: "complained",
  unsubscribe: "unsubscribed",
  soft: null,
  delivered: null,
  rejected: null,
};

/** As the API and the command line say it: an event has the word of its suppression. */
export const eventWords = {
  hard: "bounced",
  soft: "softBounced",
  complaint: "complained",
  unsubscribe: "unsubscribed",
  delivered: "delivered",
  rejected: "rejected",
} as const satisfies Readonly<Record<ProviderEventKind, string>>;

/** How many events of each kind came since the webhook was set up, and how many of them matched nobody. */
export const countedKinds = ["hard", "soft", "complaint", "unsubscribe", "rejected", "unmatched"] as const;
export type EventKindCounts = Readonly<Record<(typeof countedKinds)[number], number>>;
export const noEventCounts: EventKindCounts = {
  ...{ hard: 0, soft: 0, complaint: 0, unsubscribe: 0, rejected: 0, unmatched: 0 },
};

/** What the history says of an address that was given up after soft bounces. */
export const softBounceDetail = (days: number, last: string | null): string =>
  `soft bounces on ${days} days within ${policy.softWindowDays}${last === null ? "" : `; the last: ${last}`}`;

/** Whether this share of complaints is too large. Of fewer messages it says nothing. */
export const tooManyComplaints = (complaints: number, sent: number): boolean =>
  sent >= policy.complaints.ofSent &&
  complaints >= policy.complaints.least &&
  complaints > sent * policy.complaints.share;

const NOTED_MS = 3_600_000;
/** Deliveries that change nothing are noted once an hour. */
export const isNoted = ({ lastEventAt }: { readonly lastEventAt: number | null }, now: number): boolean =>
  lastEventAt !== null && lastEventAt > now - NOTED_MS;
