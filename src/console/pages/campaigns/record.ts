/** `/console/{account}/campaigns/record`: records a campaign that another tool sends. */
import { recordCampaign } from "#admin/campaigns/campaigns.ts";
import { listLists } from "#admin/lists.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { allRows } from "../../kit/all-rows.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import { readTimes, timeFields } from "./campaign-times.ts";
import * as texts from "./campaigns.texts.ts";
import { chosenLists, listChoice } from "./list-choice.ts";

const PATH = "/{account}/campaigns/record";

export const recordCampaignPage = page({
  path: PATH,
  role: "editor",
  show: async (visit) =>
    content(
      texts.record,
      html`${pageHeader({
        title: texts.record,
        parent: { label: texts.title, href: visit.link("/campaigns") },
        description: texts.recordDescription,
      })}
${await recordForm(visit)}`,
    ),
  forms: {
    record: {
      submit: async ({ perform, account, form, formats, link }) => {
        const recorded = await perform(recordCampaign, {
          account: account.id,
          name: form.text("name"),
          lists: chosenLists(form, "lists"),
          ...readTimes(form, formats, null),
        });
        return redirect(link(`/campaigns/${recorded.id}`), texts.recorded(recorded.name));
      },
    },
  },
});

async function recordForm(visit: Visit<typeof PATH>): Promise<Html> {
  const { account, shown, formats, link } = visit;
  const rows = await allRows(visit, listLists, { account: account.id });
  if (rows.length === 0)
    return emptyState({
      title: texts.noListsTitle,
      text: texts.noLists,
      icon: "lists",
      actions: [buttonLink({ label: texts.toLists, href: link("/lists"), emphasis: "primary" })],
    });
  const form = shown("record");
  const body = html`${textField({
    name: "name",
    label: texts.name,
    placeholder: texts.namePlaceholder,
    value: form.value("name"),
    error: form.problem("name"),
  })}${listChoice(form, rows, visit, {
    name: "lists",
    label: texts.lists,
    hint: texts.listsHint,
    stored: [],
  })}${timeFields(form, formats, null)}${buttonRow(
    button({ label: texts.save, emphasis: "primary" }),
    buttonLink({ label: texts.cancel, href: link("/campaigns"), emphasis: "quiet" }),
  )}`;
  return formOf("record", { shown: form, isOnce: true, body });
}
