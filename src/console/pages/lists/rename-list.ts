/** `/console/{account}/lists/{list}/rename` */
import { findList, renameList } from "#admin/lists.ts";
import { versionOf } from "#domain/version.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf, saveOrCancel } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import * as texts from "./rename-list.texts.ts";

export const renameListPage = page({
  path: "/{account}/lists/{list}/rename",
  role: "editor",
  show: async ({ perform, account, params, shown, link }) => {
    const list = await perform(findList, { account: account.id, id: params.list });
    const form = shown("rename");
    const title = texts.title(list.name);
    return content(
      title,
      html`${pageHeader({ title, parent: { label: list.name, href: link(`/lists/${list.id}`) } })}
${formOf("rename", {
  shown: form,
  version: versionOf("list", list),
  body: html`${textField({
    name: "name",
    label: texts.name,
    hint: texts.hint,
    value: form.value("name", list.name),
    error: form.problem("name"),
  })}${saveOrCancel(texts.save, link(`/lists/${list.id}`))}`,
})}`,
    );
  },
  forms: {
    rename: {
      submit: async ({ perform, account, params, form, link }) => {
        const one = { account: account.id, id: params.list };
        const list = await perform(renameList, { ...one, name: form.text("name") });
        return redirect(link(`/lists/${list.id}`), texts.renamed(list.name));
      },
    },
  },
});
