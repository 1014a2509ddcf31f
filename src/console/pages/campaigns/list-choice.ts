/** The choice of lists in a form: boxes for the first thousand, and ids for the others. */
import type { List, ListId } from "#domain/list.ts";
import { checkboxGroup, textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { MAX_ROWS } from "../../kit/all-rows.ts";
import { FormRefused } from "../../kit/failures.ts";
import type { Formats } from "../../kit/formats.ts";
import type { Form, ShownForm } from "../../kit/forms/form.ts";
import * as texts from "./campaigns.texts.ts";

interface ListChoice {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly stored: readonly ListId[];
  readonly isOptional?: boolean;
}

const furtherOf = (name: string): string => `further${name.charAt(0).toUpperCase()}${name.slice(1)}`;

/** `rows`: as `allRows` returns them. */
export function listChoice(
  form: ShownForm,
  rows: readonly List[],
  { formats }: { readonly formats: Formats },
  { name, stored, ...field }: ListChoice,
): Html {
  const further = furtherOf(name);
  const others = stored.filter((id) => !rows.some((row) => row.id === id));
  return html`${checkboxGroup({
    ...{ ...field, name, error: form.problem(name) },
    values: form.values(name, stored.map(String)),
    options: rows.map((row) => ({
      value: String(row.id),
      label: row.name,
      hint: texts.members(formats.number(row.members)),
    })),
  })}${
    rows.length < MAX_ROWS
      ? null
      : textField({
          name: further,
          label: texts.furtherLists,
          hint: texts.furtherListsHint(formats.number(rows.length)),
          value: form.value(further, others.join(", ")),
          error: form.problem(further),
          isOptional: true,
        })
  }`;
}

/** Throws FormRefused. */
export function chosenLists(form: Form, name: string): readonly ListId[] {
  const read = (text: string, field: string): ListId => {
    const id = /^\d{1,15}$/.test(text) ? Number(text) : null;
    if (id === null) throw new FormRefused({ fields: { [field]: texts.notAnId(text) } });
    return id;
  };
  const given = (all: readonly string[]): readonly string[] =>
    all.map((one) => one.trim()).filter((one) => one !== "");
  const further = furtherOf(name);
  return [
    ...given(form.texts(name)).map((text) => read(text, name)),
    ...given(form.text(further).split(",")).map((text) => read(text, further)),
  ];
}
