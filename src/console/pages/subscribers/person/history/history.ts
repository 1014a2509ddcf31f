/** `/console/{account}/subscribers/{subscriber}/history`: everything that happened, in pages. */
import { listHistory } from "#admin/subscribers/record.ts";
import { objectLinks } from "#console/kit/addresses/object-links.ts";
import { neighbours } from "#console/kit/addresses/query.ts";
import { content, page } from "#console/kit/page.ts";
import { card, pageHeader } from "#html/components/page-header.ts";
import { pager } from "#html/components/table.ts";
import { html } from "#html/html.ts";
import { emailOf } from "../email.ts";
import { HISTORY } from "../links.ts";
import * as texts from "../person.texts.ts";
import { historyTimeline } from "./history-timeline.ts";

const PAGE_ENTRIES = 50;

export const historyPage = page({
  path: HISTORY,
  show: async (visit) => {
    const of = { account: visit.account.id, id: visit.params.subscriber };
    const { rows, next, previous, names } = await visit.list(listHistory, { ...of, limit: PAGE_ENTRIES });
    const parent = { label: await emailOf(visit, of.id), href: objectLinks(visit).subscriber(of.id) };
    return content(
      texts.history,
      html`${pageHeader({ title: texts.history, parent, description: texts.historyDescription })}
${card(historyTimeline(visit, rows, names))}
${pager({
  text: "",
  ...neighbours(visit.path, { previous, next }),
})}`,
    );
  },
});
