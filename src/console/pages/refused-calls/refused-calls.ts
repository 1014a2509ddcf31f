/**
 * `/console/{account}/refused-calls`: what was refused, grouped by reason and integration; with `?key=ID`,
 * only that of one integration.
 */
import { listRefusalGroups } from "#admin/refusals/groups.ts";
import { listNoOps } from "#admin/refusals/refusals.ts";
import type { KeyId } from "#domain/access/key.ts";
import type { NoOps } from "#domain/ports/refusals.ts";
import { emptyState } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";
import { content, page } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import { groupLink, groupOf, keyIn } from "./group-address.ts";
import { keyLink, keyName, keyNames, keyText } from "./key-names.ts";
import { reasonTitle } from "./reasons.texts.ts";
import * as texts from "./refused-calls.texts.ts";

export const refusedCallsPage = page({
  path: "/{account}/refused-calls",
  show: async (visit) => {
    const { perform, account, formats, now } = visit;
    const of = { account: account.id };
    const only = keyIn(visit);
    const [all, noOps] = await Promise.all([perform(listRefusalGroups, of), perform(listNoOps, of)]);
    const groups = only === null ? all : all.filter((group) => groupOf(group).key === only);
    const names = only === null && groups.length > 0 ? await keyNames(visit) : await keyName(visit, only);
    const empty = only === null ? texts.empty : texts.emptyOfKey;
    const body =
      groups.length === 0
        ? emptyState({ title: texts.emptyTitle, text: empty, icon: "check" })
        : table({
            caption: texts.groups,
            rows: groups,
            href: (group) => groupLink(visit, groupOf(group)),
            columns: [
              {
                label: texts.reason,
                cell: ({ outcome, operation }) =>
                  html`${reasonTitle(outcome)}<br><small><code>${operation}</code></small>`,
              },
              { label: texts.integration, cell: ({ key }) => keyText(names, key) },
              { label: texts.calls, cell: ({ rows }) => formats.number(rows), isNumber: true },
              {
                label: texts.times,
                cell: ({ calls }) => formats.number(calls),
                isNumber: true,
                isMinor: true,
              },
              { label: texts.first, cell: ({ firstAt }) => formats.date(firstAt), isMinor: true },
              { label: texts.last, cell: ({ lastAt }) => formats.ago(lastAt, now) },
            ],
          });
    return content(
      texts.title,
      html`${pageHeader({ title: texts.title, description: texts.description })}
<div class="stack">
${only === null ? null : onlyLine(visit, names, only)}
${body}
${only === null ? noOpsLine(noOps, formats) : null}
</div>`,
    );
  },
});

const onlyLine = (visit: Pick<Visit, "link">, names: ReadonlyMap<KeyId, string>, key: KeyId): Html =>
  html`<p>${texts.onlyOf} ${keyLink(visit, names, key)} – <a href="${visit.link("/refused-calls")}">${texts.showAll}</a></p>`;

/** They are counted for the whole account. */
function noOpsLine(noOps: readonly NoOps[], formats: Formats): Html | null {
  const total = noOps.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  const parts = noOps.map(({ operation, outcome, count }) =>
    texts.noOp(formats.number(count), operation, outcome),
  );
  return html`<p class="description">${texts.noOps(texts.callsChangedNothing(total, formats.number(total)), parts)}</p>`;
}
