/** What a subscriber did after campaigns. */
import { listCampaignResults } from "#admin/subscribers/record.ts";
import { objectLinks } from "#console/kit/addresses/object-links.ts";
import { neighbours } from "#console/kit/addresses/query.ts";
import { content, page } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { CampaignResult } from "#domain/ports/subscribers.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { emailOf } from "./email.ts";
import { RESULTS } from "./links.ts";
import * as texts from "./person.texts.ts";

const PAGE_ROWS = 50;

export function resultsTable(visit: Visit, rows: readonly CampaignResult[]): Html {
  const links = objectLinks(visit);
  return table({
    caption: texts.results,
    rows,
    href: ({ campaign }) => links.campaign(campaign),
    columns: [
      { label: texts.campaign, cell: ({ name }) => name },
      { label: texts.event, cell: ({ event }) => texts.events[event] },
      { label: texts.when, cell: ({ at }) => visit.formats.time(at) },
    ],
  });
}

export const resultsPage = page({
  path: RESULTS,
  show: async (visit) => {
    const of = { account: visit.account.id, id: visit.params.subscriber };
    const { rows, next, previous } = await visit.list(listCampaignResults, { ...of, limit: PAGE_ROWS });
    const parent = { label: await emailOf(visit, of.id), href: objectLinks(visit).subscriber(of.id) };
    return content(
      texts.results,
      html`${pageHeader({ title: texts.results, parent, description: texts.resultsDescription })}
${resultsTable(visit, rows)}
${pager({
  text: "",
  ...neighbours(visit.path, { previous, next }),
})}`,
    );
  },
});
