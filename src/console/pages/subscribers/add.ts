/** `/console/{account}/subscribers/new`: adds one person to lists; `?list=` is chosen already. */

import { refusalText } from "#admin/error-texts.ts";
import { listFields } from "#admin/fields.ts";
import { Refused } from "#admin/kit/errors.ts";
import { findList, listLists } from "#admin/lists.ts";
import { addSubscriber } from "#admin/subscribers/subscribers.ts";
import type { DataType, Field, FieldId } from "#domain/field/field.ts";
import type { List } from "#domain/list.ts";
import { notice } from "#html/components/feedback.ts";
import {
  checkboxGroup,
  type Option,
  selectField,
  type TextField,
  textField,
} from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { FormRefused, goneAsNull } from "../../kit/errors.ts";
import { type Form, type FormState, idsIn } from "../../kit/form.ts";
import { formPage } from "../../kit/form-html.ts";
import { allRows, withQuery } from "../../kit/listing.ts";
import { type PageContext, redirect } from "../../kit/page.ts";
import { listIn } from "./filter.ts";

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

export const ADD = "Add a subscriber";
const PATH = "/{account}/subscribers/new";
type Here = PageContext<typeof PATH>;
/** An account may have a thousand fields; a form of that length helps no user. */
const MAX_FIELDS = 50;
/** More lists than these are only counted in a sentence. */
const MAX_NAMED = 3;

const fieldsOf = ({ performHere }: Here) => performHere(listFields, { limit: MAX_FIELDS });

/** The list from whose page somebody comes, in the address; null: none. */
async function listOf({ performHere, query }: Here): Promise<List | null> {
  const id = listIn(query);
  return id === null ? null : await performHere(findList, { id });
}
export const addressToAdd = ({ link }: Pick<PageContext, "link">, list: number | null = null): string =>
  withQuery(link("/subscribers/new"), { list: list === null ? null : String(list) });

export const addSubscriberPage = formPage({
  path: PATH,
  role: "editor",
  form: "add",
  show: async (context, form) => {
    const { link, formats } = context;
    const from = await listOf(context);
    const lists = await allRows(context, listLists);
    const { rows: fields, next } = await fieldsOf(context);
    return {
      title: ADD,
      parent:
        from === null
          ? { label: "Subscribers", href: link("/subscribers") }
          : { label: from.name, href: link(`/lists/${from.id}`) },
      description:
        "People who unsubscribed, bounced or complained cannot be added. Reactivate them on their own page first.",
      fields: html`${textField({
        ...form.field("email"),
        label: "E-mail address",
        type: "text",
        inputMode: "email",
        placeholder: "e.g. ada@example.org",
      })}${
        lists.length === 0
          ? notice(
              "info",
              "There is no list yet",
              html`A subscriber is added to a list. <a href="${link("/lists/new")}">Create a list</a> first.`,
            )
          : checkboxGroup({
              ...{ name: "lists", label: "Lists", error: form.problem("lists") },
              values: form.values("lists", from === null ? [] : [String(from.id)]),
              options: lists.map(({ id, name }) => ({ value: String(id), label: name })),
            })
      }${textField({ ...form.field("firstName"), label: "First name", isOptional: true })}${textField({
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
    const { form, formats, link, performHere } = context;
    const from = await listOf(context);
    const [first, ...others] = await chosenLists(context);
    if (first === undefined) throw new FormRefused({ fields: { lists: "Choose at least one list." } });
    const { rows: fields } = await fieldsOf(context);
    const given = (name: string): string | null => form.text(name).trim() || null;
    const email = form.text("email");
    const nothing = { firstName: null, lastName: null, values: [] };
    const added = await performHere(addSubscriber, {
      ...{ list: first.id, email, firstName: given("firstName"), lastName: given("lastName") },
      values: valuesIn(form, fields),
    }).catch(besideField);
    const { id, address } = added;
    const unconfirmed = added.isPending ? [first] : [];
    for (const list of others)
      if ((await performHere(addSubscriber, { ...nothing, list: list.id, email })).isPending)
        unconfirmed.push(list);
    const named = (lists: readonly List[]): string =>
      lists.length > MAX_NAMED
        ? `${formats.number(lists.length)} lists`
        : lists.map(({ name }) => quoted(name)).join(" and ");
    const confirmed = [first, ...others].filter((list) => !unconfirmed.includes(list));
    const done = [
      ...(confirmed.length === 0 ? [] : [`${address} is on ${named(confirmed)}.`]),
      ...(unconfirmed.length === 0
        ? []
        : [`${address} is already on ${named(unconfirmed)}, but has not confirmed it yet.`]),
    ].join(" ");
    const person = id === null ? "/subscribers" : `/subscribers/${id}`;
    return redirect(link(from === null ? person : `/lists/${from.id}`), done);
  },
});

async function chosenLists({ form, performHere }: Here): Promise<readonly List[]> {
  const ids = form.texts("lists").flatMap(idsIn);
  const lists = await Promise.all(ids.map((id) => performHere(findList, { id }).catch(goneAsNull)));
  const known = lists.filter((list) => list !== null);
  if (known.length === ids.length) return known;
  throw new FormRefused({ fields: { lists: "One of these lists does not exist any more." } });
}

/** Where the form has the field that was refused. */
function besideField(error: unknown): never {
  if (error instanceof Refused && error.outcome === "InvalidEmail")
    throw new FormRefused({ fields: { email: refusalText(error) } });
  if (error instanceof Refused && error.field !== null)
    throw new FormRefused({ fields: { [valueFieldName(error.field)]: refusalText(error) } });
  throw error;
}
