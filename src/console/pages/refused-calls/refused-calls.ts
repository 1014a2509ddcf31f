/**
 * `/console/{account}/refused-calls`: what was refused, grouped by reason and integration; with `?key=ID`,
 * only that of one integration.
 */
import { listNoOps, listRefusalGroups } from "#admin/refused-calls.ts";
import type { KeyId } from "#domain/access/key.ts";
import type { NoOps } from "#domain/ports/refused-calls.ts";
import { emptyState } from "#html/components/feedback.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";
import { type PageContext, page, titled } from "../../kit/page.ts";
import { groupLink, groupOf, keyIn, keyLink, keyName, keyNames, keyText, reasonTitle } from "./groups.ts";

export const refusedCallsPage = page({
  path: "/{account}/refused-calls",
  show: async (context) => {
    const { performHere, formats, now } = context;
    const only = keyIn(context);
    const [all, noOps] = await Promise.all([performHere(listRefusalGroups, {}), performHere(listNoOps, {})]);
    const groups = only === null ? all : all.filter((group) => groupOf(group).key === only);
    const names = only === null && groups.length > 0 ? await keyNames(context) : await keyName(context, only);
    const empty =
      only === null
        ? "Every call of your integrations was carried out. A call that is refused, for example because its list does not exist or the person has unsubscribed, stays here until you correct or dismiss it."
        : "No refused call of this integration is left: all were replayed or dismissed, or are too old to be kept.";
    const body =
      groups.length === 0
        ? emptyState({ title: "No call was refused", text: empty, icon: "check" })
        : table({
            caption: "Groups of refused calls",
            rows: groups,
            href: (group) => groupLink(context, groupOf(group)),
            columns: [
              {
                label: "Reason",
                cell: ({ outcome, operation }) =>
                  html`${reasonTitle(outcome)}<br><small><code>${operation}</code></small>`,
              },
              { label: "Integration", cell: ({ key }) => keyText(names, key) },
              { label: "Calls", cell: ({ rows }) => formats.number(rows), isNumber: true },
              {
                label: "Attempts",
                cell: ({ calls }) => formats.number(calls),
                isNumber: true,
                isMinor: true,
              },
              { label: "First", cell: ({ firstAt }) => formats.date(firstAt), isMinor: true },
              { label: "Last", cell: ({ lastAt }) => formats.ago(lastAt, now) },
            ],
          });
    return titled(
      {
        title: "Refused calls",
        description:
          "Calls of your integrations that were not carried out. Correct and replay them, or dismiss them.",
      },
      html`<div class="stack">
${only === null ? null : onlyLine(context, names, only)}
${body}
${only === null ? noOpsLine(noOps, formats) : null}
</div>`,
    );
  },
});

const onlyLine = (context: Pick<PageContext, "link">, names: ReadonlyMap<KeyId, string>, key: KeyId): Html =>
  html`<p>Only of the integration ${keyLink(context, names, key)} – <a href="${context.link("/refused-calls")}">show all</a></p>`;

const noOpReasons: Readonly<Record<string, string>> = {
  NotOnList: "the address was not on the list",
  FieldExists: "the field existed already",
};

/** They are counted for the whole account. */
function noOpsLine(noOps: readonly NoOps[], formats: Formats): Html | null {
  const total = noOps.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  const parts = noOps.map(({ operation, outcome, count }) => {
    const reason = Object.hasOwn(noOpReasons, outcome) ? noOpReasons[outcome] : outcome;
    return `${formats.number(count)} × ${operation} (${reason})`;
  });
  return html`<p class="description">${total === 1 ? "1 call changed nothing" : `${formats.number(total)} calls changed nothing`} because nothing had to be done: ${parts.join(", ")}.</p>`;
}
