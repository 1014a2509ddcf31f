/** `/console/installation`: the settings of the service, each with the source of its value. Read only. */
import { showSettings } from "#admin/settings.ts";
import type { ShownSetting } from "#domain/shown-setting.ts";
import { badge } from "#html/components/badge.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { content, page } from "../../kit/page.ts";
import { placeOf } from "../settings/place.ts";
import * as texts from "./settings.texts.ts";

function shownValue({ isSet, isSecret, value }: ShownSetting): Html {
  if (!isSet) return html`<span class="absent">${texts.notSet}</span>`;
  return isSecret ? html`<span class="absent">${texts.secret}</span>` : html`<code>${value}</code>`;
}

function sourceOf({ source, isSet }: ShownSetting): Html | null {
  if (source === "default" && !isSet) return null;
  const [label, tone] = texts.sources[source];
  return badge(label, tone);
}

/** Where it can be set. */
const nameOf = ({ name, flag, variable, doc }: ShownSetting): Html =>
  html`<span class="lines"><span>${name}</span><small>${doc}</small><small><code>${flag}</code> <code>${variable}</code></small></span>`;

export const settingsPage = page({
  path: "/installation",
  role: "administrator",
  show: async (visit) => {
    const settings = await visit.perform(showSettings, {});
    const groups = [...new Set(settings.map(({ group }) => group))];
    return content(
      texts.title,
      html`${placeOf(visit).top("")}
<p class="description">${texts.description}</p>
${groups.map((group) =>
  section(
    group,
    table({
      caption: group,
      rows: settings.filter((one) => one.group === group),
      columns: [
        { label: texts.setting, cell: nameOf },
        { label: texts.value, cell: shownValue },
        { label: texts.source, cell: sourceOf },
      ],
    }),
  ),
)}`,
    );
  },
});
