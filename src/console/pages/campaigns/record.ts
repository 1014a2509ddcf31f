/** `/console/{account}/campaigns/new`: records a campaign that another tool sends. */
import { recordCampaign } from "../../../admin/campaigns/campaigns.ts";
import { listLists } from "../../../admin/lists.ts";
import type { ListId } from "../../../domain/list.ts";
import { button, buttonLink, buttonRow } from "../../../html/components/buttons.ts";
import { emptyState } from "../../../html/components/feedback.ts";
import { checkboxGroup, textField } from "../../../html/components/fields.ts";
import { pageHeader } from "../../../html/components/page-header.ts";
import { type Html, html } from "../../../html/html.ts";
import { allRows, MOST_ROWS } from "../../kit/all-rows.ts";
import { FormRefused } from "../../kit/failures.ts";
import type { Form } from "../../kit/forms/form.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import { readTimes, timeFields } from "./campaign-times.ts";
import * as texts from "./campaigns.texts.ts";

const PATH = "/{account}/campaigns/new";

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
          lists: listsIn(form),
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
  })}${checkboxGroup({
    name: "lists",
    label: texts.lists,
    hint: texts.listsHint,
    error: form.problem("lists"),
    values: form.values("lists"),
    options: rows.map(({ id, name, members }) => ({
      value: String(id),
      label: name,
      hint: texts.members(formats.number(members)),
    })),
  })}${
    rows.length < MOST_ROWS
      ? null
      : textField({
          name: "furtherLists",
          label: texts.furtherLists,
          hint: texts.furtherListsHint(formats.number(rows.length)),
          value: form.value("furtherLists"),
          error: form.problem("furtherLists"),
          isOptional: true,
        })
  }${timeFields(form, formats, null)}${buttonRow(
    button({ label: texts.save, emphasis: "primary" }),
    buttonLink({ label: texts.cancel, href: link("/campaigns"), emphasis: "quiet" }),
  )}`;
  return formOf("record", { shown: form, isOnce: true, body });
}

function listsIn(form: Form): readonly ListId[] {
  const further = form.text("furtherLists").split(",");
  const read = (text: string, name: string): ListId => {
    const id = /^\d{1,15}$/.test(text) ? Number(text) : null;
    if (id === null) throw new FormRefused({ fields: { [name]: texts.notAnId(text) } });
    return id;
  };
  const given = (all: readonly string[]): readonly string[] =>
    all.map((one) => one.trim()).filter((one) => one !== "");
  return [
    ...given(form.texts("lists")).map((text) => read(text, "lists")),
    ...given(further).map((text) => read(text, "furtherLists")),
  ];
}
