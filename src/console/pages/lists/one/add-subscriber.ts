/** `/console/{account}/lists/{list}/add`: adds one person to a list. */
import { refusalText } from "#admin/error-texts.ts";
import { listFields } from "#admin/fields.ts";
import { Refused } from "#admin/kit/errors.ts";
import { findList } from "#admin/lists.ts";
import { addSubscriber } from "#admin/subscribers/subscribers.ts";
import { FormRefused } from "#console/kit/failures.ts";
import type { ShownForm } from "#console/kit/forms/form.ts";
import { formOf, saveOrCancel } from "#console/kit/forms/form-html.ts";
import { valueField, valueFieldName, valuesIn } from "#console/kit/forms/value-field.ts";
import { content, page, redirect } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import * as texts from "./add-subscriber.texts.ts";

const PATH = "/{account}/lists/{list}/add";
/** An account may have a thousand fields; a form of that length helps nobody. */
const MAX_FIELDS = 50;

const fieldsOf = ({ perform, account }: Visit<typeof PATH>) =>
  perform(listFields, { account: account.id, limit: MAX_FIELDS });

export const addSubscriberPage = page({
  path: PATH,
  role: "editor",
  show: async (visit) => {
    const { account, params, link, formats } = visit;
    const list = await visit.perform(findList, { account: account.id, id: params.list });
    const { rows: fields, next } = await fieldsOf(visit);
    const form = visit.shown("add");
    const title = texts.title(list.name);
    return content(
      title,
      html`${pageHeader({
        title,
        parent: { label: list.name, href: link(`/lists/${list.id}`) },
        description: texts.description,
      })}
${formOf("add", {
  shown: form,
  body: html`${textField({
    name: "email",
    label: texts.address,
    type: "text",
    inputMode: "email",
    value: form.value("email"),
    placeholder: texts.addressExample,
    error: form.problem("email"),
  })}${nameField("firstName", texts.firstName, form)}${nameField("lastName", texts.lastName, form)}${
    fields.length === 0
      ? null
      : html`<h2>${texts.fields}</h2>${fields.map((field) => valueField(field, form))}`
  }${next === null ? null : html`<p>${texts.moreFields(formats.number(MAX_FIELDS))}</p>`}${saveOrCancel(texts.add, link(`/lists/${list.id}`))}`,
})}`,
    );
  },
  forms: {
    add: {
      submit: async (visit) => {
        const { account, params, form, link } = visit;
        const list = await visit.perform(findList, { account: account.id, id: params.list });
        const { rows: fields } = await fieldsOf(visit);
        const given = (name: string): string | null => form.text(name).trim() || null;
        const { address, isPending } = await visit
          .perform(addSubscriber, {
            ...{ account: account.id, list: list.id, email: form.text("email") },
            ...{ firstName: given("firstName"), lastName: given("lastName") },
            values: valuesIn(form, fields),
          })
          .catch(besideField);
        const say = isPending ? texts.pending : texts.added;
        return redirect(link(`/lists/${list.id}`), say(address, list.name));
      },
    },
  },
});

const nameField = (name: "firstName" | "lastName", label: string, form: ShownForm): Html =>
  textField({ name, label, value: form.value(name), error: form.problem(name), isOptional: true });

/** Where the form has the field that was refused. */
function besideField(error: unknown): never {
  if (error instanceof Refused && error.outcome === "InvalidEmail")
    throw new FormRefused({ fields: { email: refusalText(error) } });
  if (error instanceof Refused && error.field !== null)
    throw new FormRefused({ fields: { [valueFieldName(error.field)]: refusalText(error) } });
  throw error;
}
