/**
 * `/console/{account}/campaigns/{campaign}/unsubscribes`, `…/hard-bounces` and `…/complaints`: the people
 * behind a number.
 */
import { briefCampaign } from "../../../admin/campaigns/campaigns.ts";
import { listEvents } from "../../../admin/campaigns/events.ts";
import { countCampaignEvents } from "../../../admin/campaigns/results.ts";
import type { CampaignEvent } from "../../../domain/campaign.ts";
import { emptyState } from "../../../html/components/feedback.ts";
import { pager, table } from "../../../html/components/table.ts";
import { html } from "../../../html/html.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { type AnyPage, content, page } from "../../kit/page.ts";
import * as texts from "./campaign.texts.ts";
import { campaignHeader, countOf, eventKinds, ofCampaign } from "./campaign-header.ts";

const PAGE = 50;

const peoplePage = (event: CampaignEvent): AnyPage => {
  const kind = texts.kinds[event];
  return page({
    path: `/{account}/campaigns/{campaign}/${kind.path}`,
    show: async (visit) => {
      const { perform, formats, link, path } = visit;
      const of = ofCampaign(visit);
      const found = await perform(briefCampaign, of);
      const counted = await perform(countCampaignEvents, { ...of, event });
      const people = await visit.list(listEvents, { ...of, event, limit: PAGE });
      const { rows, next, previous } = people;
      const body =
        rows.length === 0 && previous === null
          ? emptyState({ title: texts.emptyTitle, text: kind.nobody, icon: "check" })
          : html`<p class="description">${kind.description}</p>${table({
              caption: kind.title,
              rows,
              href: ({ subscriber }) => link(`/subscribers/${subscriber}`),
              columns: [
                { label: texts.email, cell: ({ address }) => address },
                { label: texts.name, cell: ({ firstName, lastName }) => `${firstName} ${lastName}`.trim() },
                { label: kind.at, cell: ({ at }) => formats.time(at) },
                { label: texts.joined, cell: ({ joinedAt }) => formats.date(joinedAt), isMinor: true },
              ],
            })}${pager({
              text: texts.people(formats.number(rows.length), countOf(visit, counted)),
              ...neighbours(path, { previous, next }),
            })}`;
      return content(
        `${kind.title} – ${found.name}`,
        html`${campaignHeader(visit, found, event, { [event]: counted })}
${body}`,
      );
    },
  });
};

export const campaignPeoplePages: readonly AnyPage[] = eventKinds.map(peoplePage);
