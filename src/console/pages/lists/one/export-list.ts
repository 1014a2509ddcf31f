/** `/console/{account}/lists/{list}/export`: the members as a CSV file. */
import { exportList, exportStates } from "#admin/export.ts";
import { findList } from "#admin/lists.ts";
import { type SeparatorWord, separators } from "#api/v2/kit/separators.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { content, download, page } from "#console/kit/page.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { checkbox, selectField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import * as texts from "./export-list.texts.ts";

const separatorWords = Object.keys(separators) as readonly SeparatorWord[];

export const exportListPage = page({
  path: "/{account}/lists/{list}/export",
  show: async ({ perform, account, params, shown, link }) => {
    const list = await perform(findList, { account: account.id, id: params.list });
    const form = shown("export");
    const title = texts.title(list.name);
    return content(
      title,
      html`${pageHeader({
        title,
        parent: { label: list.name, href: link(`/lists/${list.id}`) },
        description: texts.description,
      })}
${formOf("export", {
  shown: form,
  body: html`${selectField({
    name: "state",
    label: texts.state,
    value: form.value("state", "active"),
    options: exportStates.map((value) => ({ value, label: texts.states[value] })),
  })}${selectField({
    name: "separator",
    label: texts.separator,
    hint: texts.separatorHint,
    value: form.value("separator", "comma"),
    options: separatorWords.map((value) => ({ value, label: texts.separators[value] })),
    width: "medium",
  })}${checkbox({
    name: "forSpreadsheet",
    label: texts.forSpreadsheet,
    hint: texts.forSpreadsheetHint,
    isChecked: form.isChecked("forSpreadsheet", true),
  })}${buttonRow(button({ label: texts.download, emphasis: "primary", icon: "import", isDownload: true }))}`,
})}`,
    );
  },
  forms: {
    export: {
      submit: async ({ perform, account, params, form }) => {
        const isForSpreadsheet = form.has("forSpreadsheet");
        const { list, text } = await perform(exportList, {
          account: account.id,
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
  },
});
