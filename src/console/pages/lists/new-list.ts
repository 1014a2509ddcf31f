/** `/console/{account}/lists/new`: creates a list. */
import { createList } from "#admin/lists.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf, newIdField, newIdIn, saveOrCancel } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import * as lists from "./lists.texts.ts";
import * as texts from "./new-list.texts.ts";

export const newListPage = page({
  path: "/{account}/lists/new",
  role: "editor",
  show: async ({ shown, link, may }) => {
    const form = shown("create");
    return content(
      texts.title,
      html`${pageHeader({ title: texts.title, parent: { label: lists.title, href: link("/lists") } })}
${formOf("create", {
  shown: form,
  isOnce: true,
  body: html`${textField({
    name: "name",
    label: texts.name,
    value: form.value("name"),
    placeholder: texts.namePlaceholder,
    error: form.problem("name"),
  })}${may("administrator") ? newIdField(form, "list", "short") : ""}${saveOrCancel(texts.create, link("/lists"))}`,
})}`,
    );
  },
  forms: {
    create: {
      submit: async ({ perform, account, form, link }) => {
        const id = newIdIn(form, 15);
        const list = await perform(createList, {
          ...{ account: account.id, name: form.text("name"), id: id === null ? null : Number(id) },
        });
        return redirect(link(`/lists/${list.id}`), texts.created(list.name));
      },
    },
  },
});
