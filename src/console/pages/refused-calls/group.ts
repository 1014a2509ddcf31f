/** `/console/{account}/refused-calls/group`: the calls of one group, the newest first. */
import { listRefusals } from "#admin/refusals/refusals.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState, notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page } from "../../kit/page.ts";
import { aboutOf } from "./call-arguments.ts";
import { groupIn, groupLink } from "./group-address.ts";
import { keyLink, keyName } from "./key-names.ts";
import { reasonAdvice, reasonTitle } from "./reasons.texts.ts";
import * as texts from "./refused-calls.texts.ts";
import * as selectedTexts from "./selected-calls.texts.ts";
import { MAX_SELECTED, submitSelected } from "./selected-calls.ts";

export const refusalGroupPage = page({
  path: "/{account}/refused-calls/group",
  show: async (visit) => {
    const { account, formats, link, may, now } = visit;
    const group = groupIn(visit);
    const calls = await visit.list(listRefusals, { account: account.id, ...group, limit: MAX_SELECTED });
    const { rows, next, previous } = calls;
    const names = await keyName(visit, group.key);
    const title = reasonTitle(group.outcome);
    const isEmpty = rows.length === 0 && next === null && previous === null;
    const header = pageHeader({
      title,
      parent: { label: texts.title, href: link("/refused-calls") },
      actions:
        isEmpty || !may("editor")
          ? []
          : [
              buttonLink({ label: texts.replayAll, href: groupLink(visit, group, "/replay") }),
              buttonLink({ label: texts.dismissAll, href: groupLink(visit, group, "/dismissal") }),
            ],
    });
    if (isEmpty)
      return content(
        title,
        html`${header}
${emptyState({
  title: texts.goneTitle,
  text: texts.gone,
  icon: "check",
  actions: [buttonLink({ label: texts.toAll, href: link("/refused-calls") })],
})}`,
      );
    const shown = visit.shown("selected");
    const sent = new Set(visit.form.ids("id"));
    const rowsTable = table({
      caption: title,
      rows,
      href: ({ id }) => link(`/refused-calls/${id}`),
      columns: [
        { label: texts.call, cell: aboutOf },
        { label: texts.times, cell: ({ count }) => formats.number(count), isNumber: true },
        { label: texts.first, cell: ({ firstAt }) => formats.time(firstAt), isMinor: true },
        { label: texts.lastRefused, cell: ({ lastAt }) => formats.ago(lastAt, now) },
      ],
      selection: may("editor")
        ? {
            name: "id",
            value: ({ id }) => String(id),
            label: (call) => selectedTexts.select(aboutOf(call)),
            isSelected: ({ id }) => sent.has(id),
          }
        : null,
    });
    const pages = pager({
      text: rows.length === 0 ? texts.noneHere : texts.count(formats.number(rows.length)),
      previous: previous === null ? null : groupLink(visit, group, "", { before: previous }),
      next: next === null ? null : groupLink(visit, group, "", { after: next }),
    });
    const buttons = buttonRow(
      button({ label: selectedTexts.replaySelected, name: "step", value: "replay" }),
      button({ label: selectedTexts.dismissSelected, name: "step", value: "dismiss" }),
    );
    return content(
      title,
      html`${header}
<div class="stack">
${notice("info", texts.whatToDo, reasonAdvice(group.outcome))}
${definitions([
  [texts.operation, html`<code>${group.operation}</code>`],
  [texts.integration, keyLink(visit, names, group.key)],
])}
<div>${
        may("editor") && rows.length > 0
          ? formOf("selected", {
              shown,
              look: "plain",
              isOnce: true,
              body: html`${rowsTable}${pages}${buttons}`,
            })
          : html`${rowsTable}${pages}`
      }</div>
</div>`,
    );
  },
  forms: { selected: { submit: (visit) => submitSelected(visit) } },
});
