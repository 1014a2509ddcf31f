/** `/console/{account}/lists`: all lists, with their exact numbers of members. */
import { listTotals } from "#admin/numbers/statistics.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { content, page } from "../../kit/page.ts";
import * as texts from "./lists.texts.ts";

const PAGE = 50;

export const listsPage = page({
  path: "/{account}/lists",
  show: async (visit) => {
    const { account, formats, link, may, path } = visit;
    const args = { account: account.id, from: null, to: null, limit: PAGE };
    const { rows, next, previous } = await visit.list(listTotals, args);
    const mayCreate = may("editor");
    const create = (label: string): readonly Html[] =>
      mayCreate ? [buttonLink({ label, href: link("/lists/new"), emphasis: "primary", icon: "plus" })] : [];
    const isEmpty = rows.length === 0 && previous === null;
    const body = isEmpty
      ? emptyState({
          title: texts.emptyTitle,
          text: mayCreate ? texts.empty : texts.emptyViewer,
          icon: "lists",
          actions: create(texts.createFirst),
        })
      : html`${table({
          caption: texts.title,
          rows,
          href: ({ id }) => link(`/lists/${id}`),
          columns: [
            {
              label: texts.list,
              cell: ({ name, isDeleting }) =>
                isDeleting ? html`${name} ${badge(texts.deleting, "warning")}` : name,
            },
            { label: texts.members, cell: ({ members }) => formats.number(members), isNumber: true },
            { label: texts.joined, cell: ({ joined }) => formats.number(joined), isNumber: true },
            { label: texts.left, cell: ({ left }) => formats.number(left), isNumber: true },
            { label: texts.created, cell: ({ createdAt }) => formats.dateElement(createdAt), isMinor: true },
          ],
        })}${pager({
          text: texts.shown(formats.number(rows.length)),
          ...neighbours(path, { previous, next }),
        })}`;
    return content(
      texts.title,
      html`${pageHeader({
        title: texts.title,
        description: texts.description,
        actions: isEmpty ? [] : create(texts.newList),
      })}
${body}`,
    );
  },
});
