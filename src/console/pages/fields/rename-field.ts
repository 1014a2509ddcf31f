/** `/console/{account}/fields/{field}/rename` */
import { renameField, showField } from "#admin/fields.ts";
import { versionOf } from "#domain/version.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf, saveOrCancel } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import * as fields from "./fields.texts.ts";
import { besideName } from "./name-problem.ts";
import * as texts from "./rename-field.texts.ts";

export const renameFieldPage = page({
  path: "/{account}/fields/{field}/rename",
  role: "editor",
  show: async ({ perform, account, params, shown, link }) => {
    const field = await perform(showField, { account: account.id, id: params.field });
    const form = shown("rename");
    const title = texts.title(field.name);
    return content(
      title,
      html`${pageHeader({ title, parent: { label: fields.title, href: link("/fields") } })}
${formOf("rename", {
  shown: form,
  version: versionOf("field", field),
  body: html`${textField({
    name: "name",
    label: texts.name,
    hint: texts.hint,
    value: form.value("name", field.name),
    error: form.problem("name"),
  })}${saveOrCancel(texts.save, link("/fields"))}`,
})}`,
    );
  },
  forms: {
    rename: {
      submit: async ({ perform, account, params, form, link }) => {
        const one = { account: account.id, id: params.field, name: form.text("name") };
        const field = await perform(renameField, one).catch(besideName);
        return redirect(link("/fields"), texts.renamed(field.name));
      },
    },
  },
});
