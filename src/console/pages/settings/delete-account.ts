/** `/console/{account}/settings/delete`: says what goes with the account, and asks for its name. */
import { deleteAccount } from "#admin/accounts.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import * as texts from "./account.texts.ts";
import { settings } from "./place.texts.ts";
import { placeOf } from "./place.ts";

export const deleteAccountPage = page({
  path: "/{account}/settings/delete",
  role: "administrator",
  show: async (visit) => {
    const { account, formats, shown } = visit;
    const place = placeOf(visit);
    const form = shown("delete");
    return content(
      texts.deletion,
      html`${pageHeader({ title: texts.deletion, parent: { label: settings, href: place.at("") } })}
${confirmation({
  title: texts.deleteTitle(account.name),
  affected: texts.affected(formats.number(account.activeSubscribers)),
  consequences: texts.consequences,
  isDangerous: true,
  body: formOf("delete", {
    shown: form,
    body: html`${textField({
      name: "name",
      label: texts.typeName,
      value: form.value("name"),
      error: form.problem("name"),
    })}${buttonRow(
      button({ label: texts.deleteNow, emphasis: "danger" }),
      buttonLink({ label: texts.cancel, href: place.at("") }),
    )}`,
  }),
})}`,
    );
  },
  forms: {
    delete: {
      submit: async ({ perform, account, form, base }) => {
        await perform(deleteAccount, { account: account.id, name: form.text("name") });
        return redirect(`${base}/installation/jobs`, texts.deleted(account.name));
      },
    },
  },
});
