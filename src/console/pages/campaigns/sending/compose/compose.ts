/** `/console/{account}/campaigns/new` and `…/{campaign}/edit`: composes a campaign, and changes a draft. */
import { composeCampaign, setContent, showContent } from "#admin/campaigns/sending/compose.ts";
import type { Form } from "#console/kit/forms/form.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { content, page, type Redirect, redirect } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import { isEditable } from "#domain/sending/mailing.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { addressOf, ofCampaign } from "../../campaign-header.ts";
import * as texts from "./compose.texts.ts";
import { choicesOf, contentFields, contentIn } from "./form.ts";

const PREVIEW = "preview";

const buttons = (label: string, back: string): Html =>
  buttonRow(
    button({ label, emphasis: "primary" }),
    button({ label: texts.saveAndPreview, name: "next", value: PREVIEW }),
    buttonLink({ label: texts.cancel, href: back, emphasis: "quiet" }),
  );

const whereNext = (visit: Pick<Visit, "link">, form: Form, id: number, notice: string): Redirect =>
  redirect(`${addressOf(visit, id)}${form.text("next") === PREVIEW ? "/preview" : ""}`, notice);

/**
 * A message may be longer than the bodies of other forms: so both pages take as much as those with a file.
 */
export const composePage = page({
  path: "/{account}/campaigns/new",
  role: "editor",
  takesFile: true,
  show: async (visit) => {
    const form = visit.shown("create");
    const back = visit.link("/campaigns");
    const fields = contentFields(visit, form, await choicesOf(visit), { name: "", content: null });
    return content(
      texts.newTitle,
      html`${pageHeader({
        title: texts.newTitle,
        parent: { label: texts.campaigns, href: back },
        description: texts.newDescription,
      })}
${formOf("create", { shown: form, isOnce: true, takesFile: true, body: html`${fields}${buttons(texts.create, back)}` })}`,
    );
  },
  forms: {
    create: {
      submit: async (visit) => {
        const { perform, account, form } = visit;
        const made = await perform(composeCampaign, {
          account: account.id,
          name: form.text("name"),
          ...contentIn(form),
        });
        return whereNext(visit, form, made.campaign.id, texts.created);
      },
    },
  },
});

export const editPage = page({
  path: "/{account}/campaigns/{campaign}/edit",
  role: "editor",
  takesFile: true,
  show: async (visit) => {
    const found = await visit.perform(showContent, ofCampaign(visit));
    const { id, name } = found.campaign;
    const back = addressOf(visit, id);
    const form = visit.shown("edit");
    if (!isEditable(found.mailing.state) && !form.isRefused) return redirect(back);
    const fields = contentFields(visit, form, await choicesOf(visit), { name, content: found.content });
    const title = texts.editTitle(name);
    return content(
      title,
      html`${pageHeader({ title, parent: { label: name, href: back } })}
${formOf("edit", {
  shown: form,
  version: versionOf("campaign content", { ...found.content, name }),
  takesFile: true,
  body: html`${fields}${buttons(texts.save, back)}`,
})}`,
    );
  },
  forms: {
    edit: {
      submit: async (visit) => {
        const { perform, form } = visit;
        const of = ofCampaign(visit);
        await perform(setContent, { ...of, name: form.text("name"), ...contentIn(form) });
        return whereNext(visit, form, of.campaign, texts.saved);
      },
    },
  },
});
