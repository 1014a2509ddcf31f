/** `/console/accounts`: the accounts in which the user has a role; administrators create further ones. */
import { createAccount, listAccounts } from "#admin/accounts.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./accounts.texts.ts";

const PAGE = 50;
type AccountsVisit = Visit<"/accounts">;

async function listed({ list, formats, base, path, may }: AccountsVisit): Promise<Html> {
  const { rows, next, previous } = await list(listAccounts, { limit: PAGE });
  if (rows.length === 0 && previous === null)
    return emptyState(
      may("administrator")
        ? { title: texts.firstTitle, text: texts.first, icon: "user" }
        : { title: texts.noneTitle, text: texts.none, icon: "user" },
    );
  return html`${table({
    caption: texts.title,
    rows,
    href: ({ id }) => `${base}/${id}`,
    columns: [
      { label: texts.account, cell: ({ name }) => name },
      {
        label: texts.active,
        cell: ({ activeSubscribers }) => formats.number(activeSubscribers),
        isNumber: true,
      },
      { label: texts.created, cell: ({ createdAt }) => formats.dateElement(createdAt), isMinor: true },
      { label: texts.id, cell: ({ id }) => String(id), isNumber: true, isMinor: true },
    ],
  })}${pager({
    text: texts.count(formats.number(rows.length)),
    ...neighbours(path, { previous, next }),
  })}`;
}

function creation({ may, shown }: AccountsVisit): Html | null {
  if (!may("administrator")) return null;
  const form = shown("create");
  const body = html`${textField({
    name: "name",
    label: texts.name,
    hint: texts.nameHint,
    value: form.value("name"),
    error: form.problem("name"),
    autocomplete: "organization",
    width: "medium",
  })}${buttonRow(button({ label: texts.submit, emphasis: "primary" }))}`;
  return section(texts.create, formOf("create", { shown: form, isOnce: true, body }));
}

export const accountsPage = page({
  path: "/accounts",
  show: async (visit) =>
    content(
      texts.title,
      html`${pageHeader({ title: texts.title, description: texts.description })}
${await listed(visit)}
${creation(visit)}`,
    ),
  forms: {
    create: {
      submit: async ({ perform, form, base }) => {
        const created = await perform(createAccount, { name: form.text("name") });
        return redirect(`${base}/${created.id}`, texts.isCreated(created.name));
      },
    },
  },
});
