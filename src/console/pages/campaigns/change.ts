/** `/console/{account}/campaigns/{campaign}/change`: corrects the name or the times of a campaign. */
import { briefCampaign, setCampaign } from "#admin/campaigns/campaigns.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import * as texts from "./campaign.texts.ts";
import { addressOf, ofCampaign } from "./campaign-header.ts";
import { readTimes, timeFields } from "./campaign-times.ts";
import { name as nameLabel } from "./campaigns.texts.ts";

export const changeCampaignPage = page({
  path: "/{account}/campaigns/{campaign}/change",
  role: "editor",
  show: async (visit) => {
    const found = await visit.perform(briefCampaign, ofCampaign(visit));
    const form = visit.shown("change");
    const own = addressOf(visit, found.id);
    const title = texts.changeTitle(found.name);
    const body = html`${textField({
      name: "name",
      label: nameLabel,
      value: form.value("name", found.name),
      error: form.problem("name"),
    })}${found.sending === null ? timeFields(form, visit.formats, found) : null}${buttonRow(
      button({ label: texts.save, emphasis: "primary" }),
      buttonLink({ label: texts.cancel, href: own, emphasis: "quiet" }),
    )}`;
    return content(
      title,
      html`${pageHeader({ title, parent: { label: found.name, href: own } })}
${formOf("change", { shown: form, version: versionOf("campaign", found), body })}`,
    );
  },
  forms: {
    change: {
      submit: async (visit) => {
        const { perform, form, formats } = visit;
        const of = ofCampaign(visit);
        const before = await perform(briefCampaign, of);
        // The times of a campaign that is composed here are those of its sending.
        const { createdAt, sentAt } = before.sending === null ? readTimes(form, formats, before) : before;
        const changed = await perform(setCampaign, {
          ...of,
          name: form.text("name"),
          createdAt: createdAt ?? undefined,
          sentAt,
        });
        return redirect(addressOf(visit, changed.id), texts.saved);
      },
    },
  },
});
