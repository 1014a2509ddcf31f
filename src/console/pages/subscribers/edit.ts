/** `/console/{account}/subscribers/{subscriber}/edit`: corrects what is stored about a person. */
import { refusalText } from "#admin/error-texts.ts";
import { listFields } from "#admin/fields.ts";
import { Refused } from "#admin/kit/errors.ts";
import { correctionOf, setSubscriber } from "#admin/subscribers/correct.ts";
import { showSubscriber } from "#admin/subscribers/record.ts";
import type { DataType, Field } from "#domain/field/field.ts";
import { basicNames } from "#domain/field/value-rules.ts";
import type { SubscriberRecord } from "#domain/ports/subscribers.ts";
import type { BasicData } from "#domain/subscriber/subscriber.ts";
import { versionOf } from "#domain/version.ts";
import { textField } from "#html/components/fields.ts";
import { html } from "#html/html.ts";
import { FormRefused } from "../../kit/errors.ts";
import { formPage } from "../../kit/form-html.ts";
import { allRows } from "../../kit/listing.ts";
import { objectLinks } from "../../kit/object-links.ts";
import { type PageContext, redirect } from "../../kit/page.ts";
import { basics, EDIT, valueField } from "./person-parts.ts";

const basicTypes: Readonly<Record<keyof BasicData, DataType>> = {
  firstName: "STRING",
  lastName: "STRING",
  gender: "GENDER",
  birthday: "DATE",
  country: "COUNTRY",
};
const inputOf = ({ id }: Pick<Field, "id">): string => `value-${id}`;

type Here = PageContext<typeof EDIT>;
const stored = async (context: Here) => {
  const of = { id: context.params.subscriber };
  const [{ record }, fields] = [
    await context.performHere(showSubscriber, of),
    await allRows(context, listFields),
  ];
  const values = new Map(record.values.map(({ field, value }) => [field, value]));
  return { of, record, fields, values };
};

export const editPage = formPage({
  path: EDIT,
  role: "editor",
  form: "save",
  show: async (context, form) => {
    const { record, fields, values } = await stored(context);
    const own = basicNames.map((name) =>
      valueField(basicTypes[name], { ...form.field(name, record.data[name] ?? ""), label: basics[name] }),
    );
    const custom = fields.map((field) =>
      valueField(field.type, {
        ...form.field(inputOf(field), values.get(field.id) ?? ""),
        label: field.name,
      }),
    );
    return {
      title: "Edit subscriber",
      parent: { label: record.address, href: objectLinks(context).subscriber(record.id) },
      version: versionOf("subscriber", record),
      fields: html`${textField({
        ...form.field("email", record.address),
        label: "Address",
        hint: "If you change it, the lists and the history stay with the person.",
        type: "email",
      })}${own}${custom.length === 0 ? null : html`<h2>Custom fields</h2>${custom}`}`,
      save: "Save",
    };
  },
  submit: async (context) => {
    const { of, record, fields, values } = await stored(context);
    const person = objectLinks(context).subscriber(record.id);
    const changes = changesIn(context, record, fields, values);
    if (changes === null) return redirect(person, "Nothing was changed.");
    try {
      await context.performHere(setSubscriber, { ...of, ...changes });
    } catch (error) {
      if (!(error instanceof Refused) || error.field === null) throw error;
      const name = inputOf({ id: error.field });
      throw new FormRefused({ fields: { [name]: refusalText(error) } });
    }
    return redirect(person, "The changes are saved.");
  },
  inputs: { newEmail: "email" },
});

/** What differs from what is stored; null: nothing does. Empty clears a value. */
function changesIn(
  { form }: Here,
  { address, data }: SubscriberRecord,
  fields: readonly Field[],
  values: ReadonlyMap<Field["id"], string>,
) {
  const email = form.text("email").trim();
  if (email === "")
    throw new FormRefused({ fields: { email: "Enter an address. To delete the person, use “Erase”." } });
  const orNull = (text: string): string | null => (text.trim() === "" ? null : text);
  // A field that the form did not have stays as it is.
  const differs = (name: string, old: string): boolean => form.has(name) && form.text(name) !== old;
  const names = basicNames.filter((name) => differs(name, data[name] ?? ""));
  const changed = fields.filter((field) => differs(inputOf(field), values.get(field.id) ?? ""));
  const newEmail = email === address ? null : email;
  if (newEmail === null && names.length === 0 && changed.length === 0) return null;
  const basicsGiven = Object.fromEntries(names.map((name) => [name, orNull(form.text(name))]));
  const given = changed.map((field) => ({ field: field.id, value: orNull(form.text(inputOf(field))) }));
  return { ...correctionOf({ ...basicsGiven, values: given }), newEmail };
}
