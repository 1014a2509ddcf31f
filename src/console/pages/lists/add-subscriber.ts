/** `/console/{account}/lists/{list}/add`: adds one person to a list. */

import { refusalText } from "#admin/error-texts.ts";
import { listFields } from "#admin/fields.ts";
import { Refused } from "#admin/kit/errors.ts";
import { findList } from "#admin/lists.ts";
import { addSubscriber } from "#admin/subscribers/subscribers.ts";
import type { DataType, Field, FieldId } from "#domain/field/field.ts";
import { type Option, selectField, type TextField, textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { FormRefused } from "../../kit/errors.ts";
import type { Form, FormState } from "../../kit/form.ts";
import { formPage } from "../../kit/form-html.ts";
import { type PageContext, redirect } from "../../kit/page.ts";

/** What a type takes, where a name of the field does not say it. */
const hints: Readonly<Partial<Record<DataType, string>>> = {
  REAL: "A number such as 4.5",
  SCORE: "A number such as 4.5",
  COUNTRY: "A country such as AR, ARG or 32",
  PHONE: "A telephone number such as +541143210000",
};

/** The field of a form for a value of a custom field, by its type. */
const valueFieldName = (id: FieldId): string => `value-${id}`;

const nothing: Option = { value: "", label: "no value" };
const yesNo: readonly Option[] = [nothing, { value: "true", label: "Yes" }, { value: "false", label: "No" }];
const options: Readonly<Partial<Record<DataType, readonly Option[]>>> = {
  BOOLEAN: yesNo,
  CONSENT: yesNo,
  PERMISSION: yesNo,
  GDPR: yesNo,
  GENDER: [
    nothing,
    { value: "F", label: "Female" },
    { value: "M", label: "Male" },
    { value: "X", label: "Other" },
  ],
};
const inputs: Readonly<Partial<Record<DataType, Pick<TextField, "type" | "inputMode" | "width">>>> = {
  REAL: { inputMode: "decimal", width: "medium" },
  SCORE: { inputMode: "decimal", width: "medium" },
  DATE: { type: "date", width: "medium" },
  EMAIL: { inputMode: "email" },
  COUNTRY: { width: "medium" },
  PHONE: { type: "tel", width: "medium" },
};

/** `stored`: the value that the subscriber has. */
function valueField({ id, name, type }: Field, form: FormState, stored = ""): Html {
  const field = {
    ...form.field(valueFieldName(id), stored),
    label: name,
    hint: hints[type] ?? null,
    isOptional: true,
  };
  const choices = options[type];
  return choices === undefined
    ? textField({ ...field, ...inputs[type] })
    : selectField({ ...field, options: choices, width: "medium" });
}

/** The values that were given, without empty ones. */
const valuesIn = (
  form: Form,
  fields: readonly Field[],
): readonly { readonly field: FieldId; readonly value: string }[] =>
  fields
    .map(({ id }) => ({ field: id, value: form.text(valueFieldName(id)) }))
    .filter(({ value }) => value.trim() !== "");

const PATH = "/{account}/lists/{list}/add";
/** An account may have a thousand fields; a form of that length helps no user. */
const MAX_FIELDS = 50;

const fieldsOf = ({ performHere }: PageContext<typeof PATH>) =>
  performHere(listFields, { limit: MAX_FIELDS });

export const addSubscriberPage = formPage({
  path: PATH,
  role: "editor",
  form: "add",
  show: async (context, form) => {
    const { params, link, formats } = context;
    const list = await context.performHere(findList, { id: params.list });
    const { rows: fields, next } = await fieldsOf(context);
    return {
      title: `Add a subscriber to ${quoted(list.name)}`,
      parent: { label: list.name, href: link(`/lists/${list.id}`) },
      description:
        "People who unsubscribed, bounced or complained cannot be added. Reactivate them on their own page first.",
      fields: html`${textField({
        ...form.field("email"),
        label: "E-mail address",
        type: "text",
        inputMode: "email",
        placeholder: "e.g. ada@example.org",
      })}${textField({ ...form.field("firstName"), label: "First name", isOptional: true })}${textField({
        ...form.field("lastName"),
        label: "Last name",
        isOptional: true,
      })}${
        fields.length === 0
          ? null
          : html`<h2>Custom fields</h2>${fields.map((field) => valueField(field, form))}`
      }${next === null ? null : html`<p>Only the first ${formats.number(MAX_FIELDS)} fields are shown. Fill in the others on the person’s page.</p>`}`,
      save: "Add",
    };
  },
  submit: async (context) => {
    const { params, form, link } = context;
    const list = await context.performHere(findList, { id: params.list });
    const { rows: fields } = await fieldsOf(context);
    const given = (name: string): string | null => form.text(name).trim() || null;
    const { address, isPending } = await context
      .performHere(addSubscriber, {
        ...{ list: list.id, email: form.text("email") },
        ...{ firstName: given("firstName"), lastName: given("lastName") },
        values: valuesIn(form, fields),
      })
      .catch(besideField);
    const done = isPending
      ? `${address} is already on ${quoted(list.name)}, but has not confirmed it yet.`
      : `${address} is on ${quoted(list.name)}.`;
    return redirect(link(`/lists/${list.id}`), done);
  },
});

/** Where the form has the field that was refused. */
function besideField(error: unknown): never {
  if (error instanceof Refused && error.outcome === "InvalidEmail")
    throw new FormRefused({ fields: { email: refusalText(error) } });
  if (error instanceof Refused && error.field !== null)
    throw new FormRefused({ fields: { [valueFieldName(error.field)]: refusalText(error) } });
  throw error;
}
