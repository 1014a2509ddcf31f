/** The top of the pages of one campaign: its name, what can be done with it, and its parts as tabs. */
import type { CountedEvents } from "#admin/campaigns/counted-events.ts";
import type { WithSending } from "#admin/campaigns/sending/with-sendings.ts";
import type { Campaign, CampaignEvent } from "#domain/campaign.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { menu } from "#html/components/menu.ts";
import { pageHeader, tabs } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./campaign.texts.ts";
import { sinceText, stateBadge } from "./sending/state.ts";

type CampaignVisit = Visit<"/{account}/campaigns/{campaign}">;

export const eventKinds = Object.keys(texts.kinds) as readonly CampaignEvent[];

/** An event of a campaign, counted up to a bound; `hasMore`: there are more. */
export interface Counted {
  readonly count: number;
  readonly hasMore: boolean;
}
export const countsOf = ({ events, hasMoreEvents }: CountedEvents) =>
  Object.fromEntries(
    eventKinds.map((kind) => [kind, { count: events[kind], hasMore: hasMoreEvents[kind] }]),
  ) as Readonly<Record<CampaignEvent, Counted>>;
/** All kinds together. */
export function totalOf({ events, hasMoreEvents }: CountedEvents): Counted {
  const count = eventKinds.reduce((sum, kind) => sum + events[kind], 0);
  return { count, hasMore: eventKinds.some((kind) => hasMoreEvents[kind]) };
}
export const countOf = ({ formats }: Pick<Visit, "formats">, { count, hasMore }: Counted): string =>
  hasMore ? texts.moreThan(formats.number(count)) : formats.number(count);

export const ofCampaign = ({ account, params }: Pick<CampaignVisit, "account" | "params">) => ({
  account: account.id,
  campaign: params.campaign,
});
export const addressOf = ({ link }: Pick<Visit, "link">, id: number): string => link(`/campaigns/${id}`);

/** Of one campaign; the results are its first tab. */
export type CampaignTab = CampaignEvent | "recipients" | null;

/**
 * `current`: null for the results. `counts`: those that are known. `actions`: instead of those of a recorded
 * one.
 */
export function campaignHeader(
  visit: Pick<CampaignVisit, "link" | "may" | "formats" | "now">,
  campaign: WithSending,
  current: CampaignTab,
  counts: Partial<Readonly<Record<CampaignEvent, Counted>>>,
  actions: readonly Html[] = campaign.sending === null ? recordedActions(visit, campaign) : [],
): Html {
  const { link } = visit;
  const { id, name, sending } = campaign;
  const own = addressOf(visit, id);
  const header = pageHeader({
    title: name,
    parent: { label: texts.campaigns, href: link("/campaigns") },
    ...stateOf(visit, campaign),
    actions,
  });
  // Nobody has got a draft.
  if (sending?.state === "draft") return header;
  const recipients = {
    label: texts.recipients,
    href: `${own}/recipients`,
    isCurrent: current === "recipients",
  };
  return html`${header}
${tabs(texts.parts, [
  { label: sending === null ? texts.results : texts.progress, href: own, isCurrent: current === null },
  ...(sending === null ? [] : [{ ...recipients, count: visit.formats.number(sending.selected) }]),
  ...eventKinds.map((kind) => ({
    label: texts.kinds[kind].title,
    href: `${own}/${texts.kinds[kind].path}`,
    isCurrent: current === kind,
    count: tabCount(visit, counts[kind]),
  })),
])}`;
}

function stateOf({ formats }: Pick<CampaignVisit, "formats">, campaign: WithSending) {
  const { createdAt, sentAt, sending } = campaign;
  if (sending !== null)
    return {
      aside: stateBadge(sending),
      description: sinceText(sending, createdAt, formats),
    };
  return sentAt === null
    ? { aside: badge(texts.notSent), description: texts.created(formats.dateTime(createdAt)) }
    : { aside: null, description: texts.sent(formats.dateTime(sentAt)) };
}

function recordedActions(visit: Pick<CampaignVisit, "link" | "may">, { id }: Campaign): readonly Html[] {
  const own = addressOf(visit, id);
  const { may } = visit;
  return [
    ...(may("editor") ? [buttonLink({ label: texts.change, href: `${own}/change`, icon: "edit" })] : []),
    ...(may("owner")
      ? [menu(texts.more, [{ label: texts.remove, href: `${own}/deletion`, isDanger: true }])]
      : []),
  ];
}

const tabCount = ({ formats }: Pick<Visit, "formats">, counted: Counted | undefined): string | null =>
  counted === undefined ? null : `${formats.number(counted.count)}${counted.hasMore ? "+" : ""}`;
