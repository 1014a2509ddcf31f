/** `/console/{account}/lists/{list}/export`: the members as a CSV file. */
import { exportList, exportStates } from "#admin/export.ts";
import { findList } from "#admin/lists.ts";
import { type SeparatorWord, separators } from "#csv/write-csv.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { checkbox, selectField } from "#html/components/fields.ts";
import { html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { formOf } from "../../kit/form-html.ts";
import { download, page, titled } from "../../kit/page.ts";

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

export const exportListPage = page({
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
        })}${selectField({
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
        })}${buttonRow(button({ label: "Download the CSV file", emphasis: "primary", icon: "import", isDownload: true }))}`,
      }),
    );
  },
  forms: {
    export: async ({ performHere, params, form }) => {
      const isForSpreadsheet = form.has("forSpreadsheet");
      const { list, text } = await performHere(exportList, {
        list: params.list,
        state: exportStates.find((state) => state === form.text("state")) ?? "active",
        separator: separators[separatorWords.find((word) => word === form.text("separator")) ?? "comma"],
        hasMark: isForSpreadsheet,
        isSpreadsheetSafe: isForSpreadsheet,
      });
      return download({
        fileName: `list-${list.id}.csv`,
        contentType: "text/csv; charset=utf-8",
        chunks: text(() => {}),
      });
    },
  },
});
