/** `/console/{account}/campaigns`: all campaigns, the newest first, with what came of each. */
import { campaignTotals } from "#admin/campaigns/results.ts";
import type { WithSending } from "#admin/campaigns/sending/with-sendings.ts";
import { type CampaignEvent, type CampaignTotals, MAX_COUNTED } from "#domain/campaign.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { menu } from "#html/components/menu.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { type Column, pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { content, page } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./campaigns.texts.ts";
import { sendingBadge } from "./sending/state.ts";

const PAGE = 25;

export const campaignsPage = page({
  path: "/{account}/campaigns",
  show: async (visit) => {
    const { account, formats, may, link, path } = visit;
    const { rows, next, previous } = await visit.list(campaignTotals, { account: account.id, limit: PAGE });
    const isEmpty = rows.length === 0 && previous === null;
    const counted = (label: string, event: CampaignEvent): Column<WithSending<CampaignTotals>> => ({
      label,
      cell: ({ [event]: count }) =>
        count < MAX_COUNTED ? formats.number(count) : texts.orMore(formats.number(count)),
      isNumber: true,
    });
    const compose = {
      label: texts.create,
      href: link("/campaigns/new"),
      emphasis: "primary",
      icon: "plus",
    } as const;
    const record = { label: texts.record, href: link("/campaigns/record") };
    const body = isEmpty
      ? emptyState({
          title: texts.emptyTitle,
          text: may("editor") ? texts.empty : texts.emptyForViewers,
          icon: "campaigns",
          actions: may("editor") ? [buttonLink(compose), buttonLink(record)] : [],
        })
      : html`${table({
          caption: texts.title,
          rows,
          href: ({ id }) => link(`/campaigns/${id}`),
          columns: [
            { label: texts.campaign, cell: ({ name }) => name },
            { label: texts.state, cell: (row) => stateOf(row, visit) },
            { label: texts.sent, cell: ({ sentAt }) => (sentAt === null ? "–" : formats.time(sentAt)) },
            counted(texts.unsubscribed, "unsubscribed"),
            counted(texts.bounced, "bounced"),
            counted(texts.complained, "complained"),
          ],
        })}${pager({
          text: texts.count(formats.number(rows.length)),
          ...neighbours(path, { previous, next }),
        })}`;
    return content(
      texts.title,
      html`${pageHeader({
        title: texts.title,
        description: texts.description,
        actions: isEmpty || !may("editor") ? [] : [buttonLink(compose), menu(texts.more, [record])],
      })}
${body}`,
    );
  },
});

function stateOf(
  { sending, sentAt }: WithSending<CampaignTotals>,
  { formats }: Pick<Visit, "formats">,
): Html {
  if (sending !== null) return sendingBadge(sending, formats);
  return badge(sentAt === null ? texts.notSent : texts.isRecorded);
}
