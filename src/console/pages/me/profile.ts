/** Name and time zone. */
import { setMe } from "#admin/users/sessions.ts";
import { timeZones } from "#domain/time-zone.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { DEFAULT_TIME_ZONE } from "../../kit/formats.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { type FormHandler, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./me.texts.ts";

const zones = timeZones().map((value) => ({ value, label: value.replaceAll("_", " ") }));

export function profilePart({ user, shown }: Visit<"/me">): Html {
  const form = shown("profile");
  const body = html`${textField({
    name: "name",
    label: texts.name,
    hint: texts.nameHint,
    value: form.value("name", user.name),
    error: form.problem("name"),
    autocomplete: "name",
    isOptional: true,
  })}${selectField({
    name: "timeZone",
    label: texts.timeZone,
    hint: texts.timeZoneHint,
    value: form.value("timeZone", user.timeZone ?? DEFAULT_TIME_ZONE),
    error: form.problem("timeZone"),
    options: zones,
    width: "medium",
  })}${buttonRow(button({ label: texts.save, emphasis: "primary" }))}`;
  return section(texts.profile, formOf("profile", { shown: form, body }));
}

export const profileForms: Readonly<Record<string, FormHandler<Visit<"/me">>>> = {
  profile: {
    submit: async ({ perform, form, path }) => {
      const zone = form.text("timeZone");
      await perform(setMe, { name: form.text("name"), timeZone: zone === DEFAULT_TIME_ZONE ? null : zone });
      return redirect(path, texts.saved);
    },
  },
};
