/** `/console/{account}/fields/new`: creates a custom field. */
import { createField } from "#admin/fields.ts";
import { dataTypes } from "#domain/field/field.ts";
import { checkbox, selectField, textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf, newIdField, newIdIn, saveOrCancel } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import * as fields from "./fields.texts.ts";
import { besideName } from "./name-problem.ts";
import * as texts from "./new-field.texts.ts";

/** The one that most fields have first. */
const offered = ["STRING", ...dataTypes.filter((type) => type !== "STRING")] as const;

export const newFieldPage = page({
  path: "/{account}/fields/new",
  role: "editor",
  show: async ({ shown, link, may }) => {
    const form = shown("create");
    return content(
      texts.title,
      html`${pageHeader({ title: texts.title, parent: { label: fields.title, href: link("/fields") } })}
${formOf("create", {
  shown: form,
  body: html`${textField({
    name: "name",
    label: texts.name,
    value: form.value("name"),
    placeholder: texts.namePlaceholder,
    error: form.problem("name"),
  })}${selectField({
    name: "type",
    label: texts.type,
    hint: texts.typeHint,
    value: form.value("type", "STRING"),
    error: form.problem("type"),
    options: offered.map((value) => ({ value, label: fields.types[value] })),
    width: "medium",
  })}${checkbox({
    name: "isPrivate",
    label: texts.isPrivate,
    hint: texts.isPrivateHint,
    isChecked: form.isChecked("isPrivate"),
  })}${may("administrator") ? newIdField(form, "field", "medium") : ""}${saveOrCancel(texts.create, link("/fields"))}`,
})}`,
    );
  },
  forms: {
    create: {
      submit: async ({ perform, account, form, link }) => {
        const id = newIdIn(form, 19);
        const field = await perform(createField, {
          account: account.id,
          name: form.text("name"),
          type: dataTypes.find((type) => type === form.text("type")) ?? "STRING",
          isPrivate: form.has("isPrivate"),
          id: id === null ? null : BigInt(id),
        }).catch(besideName);
        return redirect(link("/fields"), texts.created(field.name));
      },
    },
  },
});
