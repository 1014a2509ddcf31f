/** `/console/{account}/subscribers/{subscriber}`: one person, why they get mail or not, and what happened. */
import { listFields } from "#admin/fields.ts";
import { showSubscriber } from "#admin/subscribers/record.ts";
import { objectLinks } from "#console/kit/addresses/object-links.ts";
import { allRows } from "#console/kit/all-rows.ts";
import { content, page } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { SubscriberRecord } from "#domain/ports/subscribers.ts";
import { clearable } from "#domain/subscriber/subscriber.ts";
import { stateBadge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { definitions } from "#html/components/figures.ts";
import { menu } from "#html/components/menu.ts";
import { card, pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { historyTimeline } from "./history/history-timeline.ts";
import { PERSON } from "./links.ts";
import { listForms, listsPart } from "./lists.ts";
import * as texts from "./person.texts.ts";
import { resultsTable } from "./results.ts";
import { shownValue } from "./values.ts";
import { whyPart } from "./why.ts";

/** All of it is on the page of the history. */
const SHOWN_ENTRIES = 10;
const SHOWN_RESULTS = 5;

type Here = Visit<typeof PERSON>;

export const personPage = page({
  path: PERSON,
  show: async (visit) => {
    const of = { account: visit.account.id, id: visit.params.subscriber };
    const { record, names } = await visit.perform(showSubscriber, of);
    const here = objectLinks(visit).subscriber(record.id);
    const name = `${record.data.firstName} ${record.data.lastName}`.trim();
    return content(
      record.address,
      html`${pageHeader({
        title: record.address,
        parent: { label: texts.back, href: visit.link("/subscribers") },
        aside: stateBadge(record.state),
        description: name === "" ? null : name,
        actions: actions(visit, record, here),
      })}
<div class="stack">
${whyPart(visit, record, names)}
<div class="columns">
<div class="stack">
${card(html`<h2>${texts.data}</h2>${await dataPart(visit, record)}`)}
${card(html`<h2>${texts.lists}</h2>${await listsPart(visit, record)}`)}
</div>
<div class="stack">
${
  record.losses.length === 0
    ? null
    : card(
        html`<h2>${texts.results}</h2>${resultsTable(visit, record.losses.slice(0, SHOWN_RESULTS))}${
          record.losses.length <= SHOWN_RESULTS
            ? null
            : html`<p><a href="${here}/campaigns">${texts.allResults}</a></p>`
        }`,
      )
}
${card(
  html`<h2>${texts.history}</h2>${historyTimeline(visit, record.history.slice(0, SHOWN_ENTRIES), names)}${
    record.history.length <= SHOWN_ENTRIES
      ? null
      : html`<p><a href="${here}/history">${texts.allHistory}</a></p>`
  }`,
)}
</div>
</div>
</div>`,
    );
  },
  forms: listForms,
});

function actions({ may }: Here, { suppressions }: SubscriberRecord, here: string): readonly Html[] {
  const canReactivate = clearable.some((kind) => suppressions[kind] !== null);
  const more = [
    ...(may("editor") && suppressions.unsubscribed === null
      ? [{ label: texts.unsubscribe, href: `${here}/unsubscribe` }]
      : []),
    ...(may("editor") && canReactivate ? [{ label: texts.reactivate, href: `${here}/reactivate` }] : []),
    { label: texts.download, href: `${here}/download` },
    ...(may("owner") ? [{ label: texts.erase, href: `${here}/erase`, isDanger: true }] : []),
  ];
  return [
    ...(may("editor") ? [buttonLink({ label: texts.edit, href: `${here}/edit`, icon: "edit" })] : []),
    menu(texts.more, more),
  ];
}

async function dataPart(visit: Here, { data, values, knownSince }: SubscriberRecord): Promise<Html> {
  const { formats } = visit;
  const fields = await allRows(visit, listFields, { account: visit.account.id });
  const typeOf = new Map(fields.map(({ id, type }) => [id, type]));
  return definitions([
    [texts.basics.firstName, data.firstName],
    [texts.basics.lastName, data.lastName],
    [texts.basics.gender, shownValue("GENDER", data.gender ?? "", formats)],
    [texts.basics.birthday, shownValue("DATE", data.birthday ?? "", formats)],
    [texts.basics.country, shownValue("COUNTRY", data.country ?? "", formats)],
    ...values.map(
      ({ field, name, value }) => [name, shownValue(typeOf.get(field) ?? "STRING", value, formats)] as const,
    ),
    [texts.knownSince, formats.time(knownSince)],
  ]);
}
