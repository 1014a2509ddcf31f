/** `/console/{account}/fields/{field}/delete`: how many values go, then the deletion. */
import { deleteField, fieldUsage, showField } from "#admin/fields.ts";
import type { FieldId } from "#domain/field/field.ts";
import type { FieldUsage } from "#domain/ports/fields.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import type { Formats } from "../../kit/formats.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page } from "../../kit/page.ts";
import { redirectAfter } from "../jobs/job-progress.ts";
import * as texts from "./delete-field.texts.ts";
import * as fields from "./fields.texts.ts";
import { shareOf, valuesOf } from "./usage.ts";

export const deleteFieldPage = page({
  path: "/{account}/fields/{field}/delete",
  role: "owner",
  show: async ({ perform, account, params, shown, link, formats }) => {
    const field = await perform(showField, { account: account.id, id: params.field });
    const usage = await perform(fieldUsage, { account: account.id });
    const home = link("/fields");
    const title = texts.title(field.name);
    return content(
      title,
      html`${pageHeader({ title, parent: { label: fields.title, href: home } })}
${confirmation({
  title: texts.question(field.name),
  affected: affectedBy(usage, field.id, formats),
  consequences: [
    ...(usage.hasMore ? [texts.sample(formats.number(usage.subscribers)), texts.valuesGo] : []),
    texts.historyStays,
    texts.calls(String(field.id)),
    texts.noWayBack,
  ],
  isDangerous: true,
  body: formOf("delete", {
    shown: shown("delete"),
    version: versionOf("field", field),
    body: buttonRow(
      button({ label: texts.confirm, emphasis: "danger" }),
      buttonLink({ label: texts.keep, href: home, emphasis: "quiet" }),
    ),
  }),
})}`,
    );
  },
  forms: {
    delete: {
      submit: async (visit) => {
        const { perform, account, params, link } = visit;
        const { field, job } = await perform(deleteField, { account: account.id, id: params.field });
        const [done, begun] = [texts.deleted(field.name), texts.begun(field.name)];
        return redirectAfter(visit, job, link("/fields"), { done, begun });
      },
    },
  },
});

function affectedBy(usage: FieldUsage, id: FieldId, { number, percent }: Formats): string {
  if (usage.hasMore) return texts.share(percent(shareOf(usage, id)));
  const values = valuesOf(usage, id);
  if (values === 0) return texts.nobody;
  return values === 1 ? texts.one : texts.values(number(values));
}
