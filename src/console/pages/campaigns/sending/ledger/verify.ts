/** `/console/{account}/campaigns/{campaign}/verify`: whether the numbers of a campaign add up. */
import { briefCampaign } from "#admin/campaigns/campaigns.ts";
import { verifyCampaign } from "#admin/campaigns/sending/ledger.ts";
import { content, page, redirect } from "#console/kit/page.ts";
import type { RecipientCounts } from "#domain/sending/recipient.ts";
import { notice } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { html } from "#html/html.ts";
import { addressOf, ofCampaign } from "../../campaign-header.ts";
import * as states from "../state.texts.ts";
import { recipientStates } from "../state.ts";
import * as texts from "./verify.texts.ts";

const sumOf = (counts: RecipientCounts): number =>
  recipientStates.reduce((sum, state) => sum + counts[state], 0);

export const verifyPage = page({
  path: "/{account}/campaigns/{campaign}/verify",
  role: "viewer",
  show: async (visit) => {
    const { perform, formats } = visit;
    const of = ofCampaign(visit);
    const { id, name, sending } = await perform(briefCampaign, of);
    const own = addressOf(visit, id);
    if (sending === null) return redirect(own);
    const { mailing, rows, isBalanced } = await perform(verifyCampaign, of);
    const { counts, selected, purgedAt } = mailing;
    const title = texts.title(name);
    const lines: readonly (readonly [label: string, counter: number, counted: number | null])[] = [
      ...recipientStates.map(
        (state) => [states.recipientStates[state][0], counts[state], rows[state]] as const,
      ),
      [texts.sum, sumOf(counts), sumOf(rows)],
      [texts.selected, selected, null],
    ];
    return content(
      title,
      html`${pageHeader({ title, parent: { label: name, href: own }, description: texts.description })}
<div class="stack">${notice(
        isBalanced ? "good" : "bad",
        isBalanced ? texts.balanced : texts.notBalanced,
        purgedAt === null ? null : texts.purged,
      )}
${table({
  caption: texts.title(name),
  rows: lines,
  columns: [
    { label: texts.state, cell: ([label]) => label },
    { label: texts.counter, cell: ([, count]) => formats.number(count), isNumber: true },
    {
      label: texts.counted,
      cell: ([, , count]) => (count === null || purgedAt !== null ? "–" : formats.number(count)),
      isNumber: true,
    },
  ],
})}</div>`,
    );
  },
});
