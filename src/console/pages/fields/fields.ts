/** `/console/{account}/fields`: all custom fields, and how many people have a value. */
import { fieldUsage, listFields } from "#admin/fields.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { menu } from "#html/components/menu.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { content, page } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./fields.texts.ts";
import { usageText } from "./usage.ts";

const PATH = "/{account}/fields";
const PAGE = 100;

export const fieldsPage = page({
  path: PATH,
  show: async (visit) => {
    const { account, link, may } = visit;
    const create = (label: string): readonly Html[] =>
      may("editor")
        ? [buttonLink({ label, href: link("/fields/new"), emphasis: "primary", icon: "plus" })]
        : [];
    const found = await visit.list(listFields, { account: account.id, limit: PAGE });
    const isEmpty = found.rows.length === 0 && found.previous === null;
    const body = isEmpty
      ? emptyState({
          title: texts.emptyTitle,
          text: may("editor") ? texts.empty : texts.emptyViewer,
          icon: "fields",
          actions: create(texts.createFirst),
        })
      : await fieldTable(visit, found);
    return content(
      texts.title,
      html`${pageHeader({
        title: texts.title,
        description: texts.description,
        actions: isEmpty ? [] : create(texts.newField),
      })}
${body}`,
    );
  },
});

type Found = Awaited<ReturnType<typeof listFields.run>>;

async function fieldTable(visit: Visit<typeof PATH>, { rows, next, previous }: Found): Promise<Html> {
  const { account, formats, link, may, path } = visit;
  const usage = await visit.perform(fieldUsage, { account: account.id });
  const shown = texts.shown(formats.number(rows.length));
  return html`${table({
    caption: texts.title,
    rows,
    columns: [
      {
        label: texts.field,
        cell: ({ name, isPrivate }) => (isPrivate ? html`${name} ${badge(texts.isPrivate)}` : name),
      },
      { label: texts.type, cell: ({ type }) => texts.types[type] },
      { label: texts.people, cell: ({ id }) => usageText(usage, id, formats), isNumber: true },
      { label: texts.created, cell: ({ createdAt }) => formats.dateElement(createdAt), isMinor: true },
      { label: texts.id, cell: ({ id }) => String(id), isMinor: true, isNumber: true },
    ],
    actions: may("editor")
      ? ({ id, name }) =>
          menu(
            texts.actionsOf(name),
            [
              { label: texts.rename, href: link(`/fields/${id}/rename`) },
              ...(may("owner")
                ? [{ label: texts.remove, href: link(`/fields/${id}/delete`), isDanger: true }]
                : []),
            ],
            "dots",
          )
      : null,
  })}${pager({
    text: usage.hasMore ? `${shown}. ${texts.sample(formats.number(usage.subscribers))}` : shown,
    ...neighbours(path, { previous, next }),
  })}`;
}
