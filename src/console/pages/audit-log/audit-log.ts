/** `…/settings/audit-log` of an account, and `/console/installation/audit-log`: who changed what. */
import { type AuditPage, listAudit } from "#admin/audit.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { type Content, content, page } from "../../kit/page.ts";
import { type AnyVisit, placeOf } from "../settings/place.ts";
import { accountName } from "../users/users.ts";
import * as texts from "./audit-log.texts.ts";
import { timesOfDay } from "./day-range.ts";
import { changeText, whatText, whoText } from "./entry.ts";

const PAGE = 50;

/** Names of actions and days say nothing about a person, so they are in the address. */
const filterOf = ({ query }: AnyVisit) => ({
  action: query.get("action") ?? "",
  from: query.get("from") ?? "",
  to: query.get("to") ?? "",
});
type Filter = ReturnType<typeof filterOf>;

const options = [
  { value: "", label: texts.anyAction },
  ...Object.entries(texts.actions)
    .map(([value, label]) => ({ value, label }))
    .sort((one, other) => one.label.localeCompare(other.label, "en")),
];

function filterForm({ path }: AnyVisit, { action, from, to }: Filter): Html {
  const day = (name: string, label: string, value: string): Html =>
    textField({ name, label, value, type: "date", isOptional: true, width: "medium" });
  return html`<form method="get" class="inline-form" role="search" aria-label="${texts.title}">${selectField({
    name: "action",
    label: texts.action,
    value: action,
    options,
    isOptional: true,
  })}${day("from", texts.firstDay, from)}${day("to", texts.lastDay, to)}${button({ label: texts.filter })}${
    action + from + to === "" ? null : buttonLink({ label: texts.reset, href: path, emphasis: "quiet" })
  }</form>`;
}

function entries(visit: AnyVisit, { rows, names }: AuditPage): Html {
  const { formats, account } = visit;
  return table({
    caption: texts.title,
    rows,
    columns: [
      { label: texts.what, cell: (entry) => whatText(visit, entry) },
      { label: texts.change, cell: (entry) => changeText(visit, entry) },
      ...(account === null
        ? [
            {
              label: texts.account,
              cell: ({ account: id }: AuditPage["rows"][number]) =>
                id === null
                  ? null
                  : html`<a href="${visit.base}/${id}/settings">${accountName(visit, id)}</a>`,
            },
          ]
        : []),
      { label: texts.who, cell: (entry) => whoText(visit, entry, names) },
      { label: texts.from, cell: ({ from }) => from, isMinor: true },
      { label: texts.when, cell: ({ at }) => formats.time(at) },
    ],
  });
}

async function show(visit: AnyVisit): Promise<Content> {
  const { list, formats, path } = visit;
  const place = placeOf(visit);
  const filter = filterOf(visit);
  const found = await list(listAudit, {
    account: place.account,
    action: filter.action === "" ? null : filter.action,
    since: timesOfDay(filter.from, formats.timeZone)?.first ?? null,
    until: timesOfDay(filter.to, formats.timeZone)?.last ?? null,
    limit: PAGE,
  });
  const { rows, next, previous } = found;
  const isFiltered = Object.values(filter).some((value) => value !== "");
  const nothing = isFiltered
    ? { title: texts.noMatchTitle, text: next === null ? texts.noMatchText : texts.moreText }
    : { title: texts.emptyTitle, text: texts.emptyText };
  return content(
    texts.title,
    html`${place.top("/audit-log")}
${filterForm(visit, filter)}
${rows.length === 0 ? emptyState({ ...nothing, icon: "clock" }) : entries(visit, found)}
${
  rows.length === 0 && next === null && previous === null
    ? null
    : pager({
        text: texts.shown(formats.number(rows.length)),
        ...neighbours(path, { previous, next }, filter),
      })
}`,
  );
}

export const auditLogPages = [
  page({ path: "/{account}/settings/audit-log", role: "owner", show }),
  page({ path: "/installation/audit-log", role: "administrator", show }),
];
