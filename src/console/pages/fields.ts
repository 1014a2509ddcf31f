/** The pages about custom fields. */

import { refusalText } from "#admin/error-texts.ts";
import { createField, deleteField, fieldUsage, listFields, renameField, showField } from "#admin/fields.ts";
import { Refused } from "#admin/kit/errors.ts";
import { type DataType, dataTypes, type FieldId } from "#domain/field/field.ts";
import type { FieldUsage } from "#domain/ports/fields.ts";
import { versionOf } from "#domain/version.ts";
import { badge } from "#html/components/badge.ts";
import { emptyState } from "#html/components/feedback.ts";
import { checkbox, selectField, textField } from "#html/components/fields.ts";
import { menu } from "#html/components/menu.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { FormRefused } from "../kit/errors.ts";
import { confirmPage, formPage, newIdField, newIdIn } from "../kit/form-html.ts";
import type { Formats } from "../kit/formats.ts";
import { isEmpty, newLinks, pagedTable } from "../kit/listing.ts";
import { type AnyPage, type PageContext, page, redirect, titled } from "../kit/page.ts";
import { redirectAfter } from "./jobs/job-progress.ts";

const types: Readonly<Record<DataType, string>> = {
  BOOLEAN: "Yes or no",
  REAL: "Number",
  STRING: "Text",
  DATE: "Date",
  EMAIL: "E-mail address",
  GENDER: "Gender",
  COUNTRY: "Country",
  CONSENT: "Consent",
  ORIGIN: "Origin",
  SCORE: "Score",
  PHONE: "Telephone number",
  PERMISSION: "Permission",
  GDPR: "GDPR",
};
const fieldsTexts = {
  title: "Fields",
  /** Of an account with more people than are counted. */
  share: (percent: string): string => `about ${percent}`,
};

/** A name that cannot be used is explained beside its field. */
function besideName(error: unknown): never {
  if (error instanceof Refused && (error.outcome === "InvalidFieldName" || error.outcome === "FieldExists"))
    throw new FormRefused({ fields: { name: refusalText(error) } });
  throw error;
}

/** How many people have a value of a field. */
const valuesOf = ({ counts }: FieldUsage, id: FieldId): number =>
  counts.find(({ field }) => field === id)?.values ?? 0;
const shareOf = (usage: FieldUsage, id: FieldId): number =>
  usage.subscribers === 0 ? 0 : valuesOf(usage, id) / usage.subscribers;

/** Exact, or the share in the sample. */
export const usageText = (usage: FieldUsage, id: FieldId, { number, percent }: Formats): string =>
  usage.hasMore ? fieldsTexts.share(percent(shareOf(usage, id))) : number(valuesOf(usage, id));

/** `/console/{account}/fields`: all custom fields, and how many people have a value. */
const PATH = "/{account}/fields";
const PAGE = 100;

const fieldsPage = page({
  path: PATH,
  show: async (context) => {
    const { may } = context;
    const create = newLinks(context, "editor", "/fields/new");
    const found = await context.list(listFields, { limit: PAGE });
    const body = isEmpty(found)
      ? emptyState({
          title: "No fields yet",
          text: may("editor")
            ? "Names, gender, birthday and country are always there. Create a field for everything else: imports and programs can then fill it."
            : "Names, gender, birthday and country are always there. A user with the role editor can create fields for everything else.",
          icon: "fields",
          actions: create("Create a field"),
        })
      : await fieldTable(context, found);
    return titled(
      {
        title: fieldsTexts.title,
        description:
          "Custom fields hold what you know about people beyond their names, such as a town or a score.",
        actions: isEmpty(found) ? [] : create("New field"),
      },
      body,
    );
  },
});

type Found = Awaited<ReturnType<typeof listFields.run>>;

async function fieldTable(context: PageContext<typeof PATH>, found: Found): Promise<Html> {
  const { formats, link, may, path } = context;
  const usage = await context.performHere(fieldUsage, {});
  const estimated = `. The shares are estimated from a random sample of ${formats.number(usage.subscribers)} people.`;
  return pagedTable({ path }, found, {
    caption: fieldsTexts.title,
    columns: [
      {
        label: "Field",
        cell: ({ name, isPrivate }) => (isPrivate ? html`${name} ${badge("Private")}` : name),
      },
      { label: "Type", cell: ({ type }) => types[type] },
      { label: "People with a value", cell: ({ id }) => usageText(usage, id, formats), isNumber: true },
      { label: "Created", cell: ({ createdAt }) => formats.dateElement(createdAt), isMinor: true },
      { label: "ID", cell: ({ id }) => String(id), isMinor: true, isNumber: true },
    ],
    actions: may("editor")
      ? ({ id, name }) =>
          menu(
            `Actions for ${name}`,
            [
              { label: "Rename", href: link(`/fields/${id}/rename`) },
              ...(may("owner")
                ? [{ label: "Delete", href: link(`/fields/${id}/delete`), isDanger: true }]
                : []),
            ],
            "dots",
          )
      : null,
    text: (count) => `${formats.count(count, "field")}${usage.hasMore ? estimated : ""}`,
  });
}

// `/console/{account}/fields/new`: creates a custom field.

/** The type that most fields have first. */
const offered = ["STRING", ...dataTypes.filter((type) => type !== "STRING")] as const;

const newFieldPage = formPage({
  path: "/{account}/fields/new",
  role: "editor",
  form: "create",
  show: async ({ link, may }, form) => ({
    title: "New field",
    parent: { label: fieldsTexts.title, href: link("/fields") },
    fields: html`${textField({
      ...form.field("name"),
      label: "Name",
      placeholder: "e.g. Town",
    })}${selectField({
      ...form.field("type", "STRING"),
      label: "Type",
      hint: "It cannot be changed later.",
      options: offered.map((value) => ({ value, label: types[value] })),
      width: "medium",
    })}${checkbox({
      name: "isPrivate",
      label: "Private",
      hint: "Subscribers should not see it, such as a score.",
      isChecked: form.isChecked("isPrivate"),
    })}${may("administrator") ? newIdField(form, "field", "medium") : ""}`,
    save: "Create the field",
  }),
  submit: async ({ performHere, form, link }) => {
    const id = newIdIn(form, 19);
    const field = await performHere(createField, {
      name: form.text("name"),
      type: dataTypes.find((type) => type === form.text("type")) ?? "STRING",
      isPrivate: form.has("isPrivate"),
      id: id === null ? null : BigInt(id),
    }).catch(besideName);
    return redirect(link("/fields"), `The field ${quoted(field.name)} was created.`);
  },
});

/** `/console/{account}/fields/{field}/rename` */
const renameFieldPage = formPage({
  path: "/{account}/fields/{field}/rename",
  role: "editor",
  form: "rename",
  show: async ({ performHere, params, link }, form) => {
    const field = await performHere(showField, { id: params.field });
    return {
      title: `Rename ${quoted(field.name)}`,
      parent: { label: fieldsTexts.title, href: link("/fields") },
      version: versionOf("field", field),
      fields: textField({
        ...form.field("name", field.name),
        label: "Name",
        hasFocus: true,
        hint: "The ID, the type and all values stay the same. Files that you import must use the new name.",
      }),
      save: "Save",
    };
  },
  submit: async ({ performHere, params, form, link }) => {
    const one = { id: params.field, name: form.text("name") };
    const field = await performHere(renameField, one).catch(besideName);
    return redirect(link("/fields"), `The field is now called ${quoted(field.name)}.`);
  },
});

/** `/console/{account}/fields/{field}/delete`: how many values go, then the deletion. */
const deleteFieldPage = confirmPage({
  path: "/{account}/fields/{field}/delete",
  role: "owner",
  form: "delete",
  show: async ({ performHere, params, link, formats }) => {
    const field = await performHere(showField, { id: params.field });
    const usage = await performHere(fieldUsage, {});
    return {
      title: `Delete ${quoted(field.name)}`,
      parent: { label: fieldsTexts.title, href: link("/fields") },
      question: `Delete the field ${quoted(field.name)}?`,
      affected: affectedBy(usage, field.id, formats),
      consequences: [
        ...(usage.hasMore
          ? [
              `The share is estimated from a random sample of ${formats.number(usage.subscribers)} people.`,
              "All its values are deleted, for every person.",
            ]
          : []),
        "The people stay. Their history stays too, and shows earlier changes of the field.",
        `Calls from programs that still set the field (ID ${String(field.id)}) will be refused.`,
        "This cannot be undone. An export of your lists keeps a copy of the values.",
      ],
      isDangerous: true,
      version: versionOf("field", field),
      confirm: "Delete the field",
      keep: "Keep it",
    };
  },
  submit: async (context) => {
    const { performHere, params, link } = context;
    const { field, job } = await performHere(deleteField, { id: params.field });
    const [done, begun] = [
      `The field ${quoted(field.name)} was deleted.`,
      `The field ${quoted(field.name)} is being deleted. It cannot be used any more.`,
    ];
    return redirectAfter(context, job, link("/fields"), { done, begun });
  },
});

function affectedBy(usage: FieldUsage, id: FieldId, { number, percent }: Formats): string {
  if (usage.hasMore) return `The values of about ${percent(shareOf(usage, id))} of all people are deleted`;
  const values = valuesOf(usage, id);
  if (values === 0) return "Nobody has a value";
  return values === 1 ? "1 value is deleted" : `${number(values)} values are deleted`;
}

export const fieldPages: readonly AnyPage[] = [fieldsPage, newFieldPage, renameFieldPage, deleteFieldPage];
