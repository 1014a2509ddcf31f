/** All accounts: for administrators below `/console/installation`, and for everybody those of their own. */
import { createAccount, listAccounts } from "../../../admin/accounts.ts";
import { button, buttonRow } from "../../../html/components/buttons.ts";
import { emptyState } from "../../../html/components/feedback.ts";
import { textField } from "../../../html/components/fields.ts";
import { pageHeader, section } from "../../../html/components/page-header.ts";
import { pager, table } from "../../../html/components/table.ts";
import { type Html, html } from "../../../html/html.ts";
import { formOf } from "../../kit/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import { withQuery } from "../../kit/sealed-query.ts";
import { type AnyVisit, placeOf } from "../settings/place.ts";
import * as texts from "./accounts.texts.ts";

const PAGE = 50;

async function accountTable({ list, formats, base, path, may }: AnyVisit): Promise<Html> {
  const { rows, next, previous } = await list(listAccounts, { limit: PAGE });
  if (rows.length === 0 && previous === null)
    return may("administrator")
      ? emptyState({ title: texts.emptyTitle, text: texts.emptyText })
      : emptyState({ title: texts.noneTitle, text: texts.noneText });
  const { number, date } = formats;
  return html`${table({
    caption: texts.title,
    rows,
    href: ({ id }) => `${base}/${id}`,
    columns: [
      { label: texts.account, cell: ({ name }) => name },
      { label: texts.number, cell: ({ id }) => String(id), isNumber: true, isMinor: true },
      {
        label: texts.subscribers,
        cell: ({ activeSubscribers }) => number(activeSubscribers),
        isNumber: true,
      },
      {
        label: texts.limit,
        cell: ({ limitSubscribers }) =>
          limitSubscribers === null ? texts.noLimit : number(limitSubscribers),
        isNumber: true,
      },
      { label: texts.created, cell: ({ createdAt }) => date(createdAt), isMinor: true },
    ],
  })}${pager({
    text: texts.shown(number(rows.length)),
    previous: previous === null ? null : withQuery(path, { before: previous }),
    next: next === null ? null : withQuery(path, { after: next }),
  })}`;
}

function createForm({ shown }: AnyVisit): Html {
  const form = shown("create");
  return section(
    texts.newTitle,
    formOf("create", {
      shown: form,
      body: html`${textField({
        name: "name",
        label: texts.name,
        value: form.value("name"),
        error: form.problem("name"),
      })}${buttonRow(button({ label: texts.create }))}`,
    }),
    { description: texts.newDescription },
  );
}

export const accountsPages = [
  page({
    path: "/installation/accounts",
    role: "administrator",
    show: async (visit) =>
      content(
        texts.title,
        html`${placeOf(visit).top("/accounts")}
${await accountTable(visit)}
${createForm(visit)}`,
      ),
    forms: {
      create: {
        submit: async ({ perform, form, base }) => {
          const { id, name } = await perform(createAccount, { name: form.text("name") });
          return redirect(`${base}/${id}/settings`, texts.wasCreated(name));
        },
      },
    },
  }),
  page({
    path: "/accounts",
    show: async (visit) =>
      content(
        texts.title,
        html`${pageHeader({ title: texts.title, description: texts.description })}
${await accountTable(visit)}`,
      ),
  }),
];
