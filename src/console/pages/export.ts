/**
 * CSV files: `/console/{account}/lists/{list}/export` of the members of a list, and
 * `/console/{account}/subscribers/export` of those whom a search finds.
 */
import { exportList, exportStates, exportSubscribers } from "#admin/export.ts";
import { findList } from "#admin/lists.ts";
import { previewBulk } from "#admin/subscribers/bulk.ts";
import { findsEverybody } from "#admin/subscribers/search.ts";
import { type SeparatorWord, separators } from "#csv/write-csv.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { checkbox, selectField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import type { Form, FormState } from "../kit/form.ts";
import { formOf } from "../kit/form-html.ts";
import { download, page, titled } from "../kit/page.ts";
import { addressFor, countText, EXPORT_PATH, wantedIn } from "./subscribers/filter.ts";

const states: Readonly<Record<(typeof exportStates)[number], string>> = {
  active: "Active members",
  pending: "Members who have not confirmed yet",
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
  all: "Everybody",
};
const separatorNames: Readonly<Record<SeparatorWord, string>> = {
  comma: "Comma  ,",
  semicolon: "Semicolon  ;",
  tab: "Tab",
  pipe: "Pipe  |",
};

const separatorWords = Object.keys(separators) as readonly SeparatorWord[];

/** How the file is written, and the button that downloads it. */
const csvFields = (form: FormState): Html =>
  html`${selectField({
    name: "separator",
    label: "Separator",
    hint: "Excel in many European countries expects a semicolon.",
    value: form.value("separator", "comma"),
    options: separatorWords.map((value) => ({ value, label: separatorNames[value] })),
    width: "medium",
  })}${checkbox({
    name: "forSpreadsheet",
    label: "For a spreadsheet",
    hint: "Marks the file as UTF-8, and puts a ' before cells that a spreadsheet would run as formulas. Switch it off for a file that you want to import again.",
    isChecked: form.isChecked("forSpreadsheet", true),
  })}${buttonRow(button({ label: "Download the CSV file", emphasis: "primary", icon: "import", isDownload: true }))}`;
const csvFormIn = (form: Form) => ({
  separator: separators[separatorWords.find((word) => word === form.text("separator")) ?? "comma"],
  hasMark: form.has("forSpreadsheet"),
  isSpreadsheetSafe: form.has("forSpreadsheet"),
});
const csvFile = (name: string, chunks: AsyncIterable<string>) =>
  download({ fileName: `${name}.csv`, contentType: "text/csv; charset=utf-8", chunks });

const exportListPage = page({
  path: "/{account}/lists/{list}/export",
  show: async ({ performHere, params, formState, link }) => {
    const list = await performHere(findList, { id: params.list });
    const form = formState("export");
    return titled(
      {
        title: `Export ${quoted(list.name)}`,
        parent: { label: list.name, href: link(`/lists/${list.id}`) },
        description:
          "A CSV file with the addresses, names, custom fields and states of the members. A file with everybody can be imported again.",
      },
      formOf("export", {
        state: form,
        body: html`${selectField({
          name: "state",
          label: "Members to export",
          value: form.value("state", "active"),
          options: exportStates.map((value) => ({ value, label: states[value] })),
        })}${csvFields(form)}`,
      }),
    );
  },
  forms: {
    export: async ({ performHere, params, form }) => {
      const { list, text } = await performHere(exportList, {
        list: params.list,
        state: exportStates.find((state) => state === form.text("state")) ?? "active",
        ...csvFormIn(form),
      });
      return csvFile(
        `list-${list.id}`,
        text(() => {}),
      );
    },
  },
});

const exportSubscribersPage = page({
  path: EXPORT_PATH,
  show: async (context) => {
    const { performHere, formats, formState } = context;
    const wanted = await wantedIn(context);
    const { count, isMore } = await performHere(previewBulk, wanted);
    return titled(
      {
        title: "Export subscribers",
        parent: { label: "Subscribers", href: await addressFor(context, "/{account}/subscribers", wanted) },
        description: `A CSV file with the addresses, names, custom fields and states of ${findsEverybody(wanted) ? "everybody in this account" : "everybody whom the search finds"}. ${countText(formats.number(count), isMore)}.`,
      },
      formOf("export", { state: formState("export"), body: csvFields(formState("export")) }),
    );
  },
  forms: {
    export: async (context) => {
      const wanted = await wantedIn(context);
      const { text } = await context.performHere(exportSubscribers, {
        ...wanted,
        ...csvFormIn(context.form),
      });
      return csvFile(
        "subscribers",
        text(() => {}),
      );
    },
  },
});

export const exportPages = [exportListPage, exportSubscribersPage];
