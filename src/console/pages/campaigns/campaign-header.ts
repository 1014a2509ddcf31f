/** The top of the pages of one campaign: its name, what can be done with it, and its parts as tabs. */
import { showCampaign } from "../../../admin/campaigns/campaigns.ts";
import type { CampaignEvent } from "../../../domain/campaign.ts";
import { badge } from "../../../html/components/badge.ts";
import { buttonLink } from "../../../html/components/buttons.ts";
import { menu } from "../../../html/components/menu.ts";
import { pageHeader, tabs } from "../../../html/components/page-header.ts";
import { type Html, html } from "../../../html/html.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./campaign.texts.ts";

type CampaignVisit = Visit<"/{account}/campaigns/{campaign}">;

export const eventKinds = Object.keys(texts.kinds) as readonly CampaignEvent[];

export const foundCampaign = ({
  perform,
  account,
  params,
}: Pick<CampaignVisit, "perform" | "account" | "params">) =>
  perform(showCampaign, { account: account.id, campaign: params.campaign });
export type ShownCampaign = Awaited<ReturnType<typeof foundCampaign>>;

export const addressOf = ({ link }: Pick<Visit, "link">, id: number): string => link(`/campaigns/${id}`);

/** `current`: the event whose people are shown; null: the results. */
export function campaignHeader(
  visit: Pick<CampaignVisit, "link" | "may" | "formats">,
  { id, name, createdAt, sentAt, events }: ShownCampaign,
  current: CampaignEvent | null,
): Html {
  const { formats, link, may } = visit;
  const own = addressOf(visit, id);
  return html`${pageHeader({
    title: name,
    parent: { label: texts.campaigns, href: link("/campaigns") },
    aside: sentAt === null ? badge(texts.notSent) : null,
    description:
      sentAt === null ? texts.created(formats.dateTime(createdAt)) : texts.sent(formats.dateTime(sentAt)),
    actions: [
      ...(may("editor") ? [buttonLink({ label: texts.change, href: `${own}/change`, icon: "edit" })] : []),
      ...(may("owner")
        ? [menu(texts.more, [{ label: texts.remove, href: `${own}/deletion`, isDanger: true }])]
        : []),
    ],
  })}
${tabs(texts.parts, [
  { label: texts.results, href: own, isCurrent: current === null },
  ...eventKinds.map((kind) => ({
    label: texts.kinds[kind].title,
    href: `${own}/${texts.kinds[kind].path}`,
    isCurrent: current === kind,
    count: formats.number(events[kind]),
  })),
])}`;
}
