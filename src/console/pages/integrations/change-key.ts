/** `/console/{account}/integrations/{key}/change`: the name of a key, and until when it works. */
import { findKey, setKey } from "#admin/keys/keys.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import * as texts from "./change-key.texts.ts";
import { expiryField, readExpiry } from "./expiry.ts";
import { nameOf } from "./key-names.ts";
import * as newKey from "./new-key.texts.ts";

export const changeKeyPage = page({
  path: "/{account}/integrations/{key}/change",
  role: "owner",
  show: async ({ perform, account, params, shown, link, formats }) => {
    const key = await perform(findKey, { account: account.id, id: params.key });
    const form = shown("change");
    const title = texts.title(nameOf(key));
    return content(
      title,
      html`${pageHeader({ title, parent: { label: nameOf(key), href: link(`/integrations/${key.id}`) } })}
${formOf("change", {
  shown: form,
  version: versionOf("key", key),
  body: html`${textField({
    name: "name",
    label: newKey.name,
    hint: newKey.nameHint,
    value: form.value("name", key.label),
    error: form.problem("name"),
    isOptional: true,
  })}${expiryField(form, formats, key.expiresAt)}${buttonRow(button({ label: texts.save, emphasis: "primary" }))}`,
})}`,
    );
  },
  forms: {
    change: {
      submit: async ({ perform, account, params, form, formats, link }) => {
        const one = { account: account.id, id: params.key };
        const { expiresAt: before } = await perform(findKey, one);
        const expiresAt = readExpiry(form, formats, before);
        const changed = await perform(setKey, {
          ...one,
          label: form.text("name"),
          // A key that has expired can still get another name.
          expiresAt: expiresAt === before ? undefined : expiresAt,
        });
        return redirect(link(`/integrations/${params.key}`), texts.changed(nameOf(changed)));
      },
      inputs: { label: "name", expiresAt: "expires" },
    },
  },
});
