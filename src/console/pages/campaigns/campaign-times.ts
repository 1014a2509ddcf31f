/** The fields for when a campaign was created and sent, as the user's clock shows it. */
import type { Campaign } from "#domain/campaign.ts";
import { textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused } from "../../kit/failures.ts";
import type { Formats } from "../../kit/formats.ts";
import type { Form, ShownForm } from "../../kit/forms/form.ts";
import { localTime, readLocalTime } from "../../kit/forms/local-time.ts";
import * as texts from "./campaigns.texts.ts";

type Times = Pick<Campaign, "createdAt" | "sentAt">;

export function timeFields(form: ShownForm, { timeZone }: Formats, stored: Times | null): Html {
  const shown = (at: number | null | undefined): string => (at == null ? "" : localTime(at, timeZone));
  return html`${textField({
    name: "sentAt",
    label: texts.sentAt,
    type: "datetime-local",
    hint: texts.sentAtHint(timeZone.replaceAll("_", " ")),
    value: form.value("sentAt", shown(stored?.sentAt)),
    error: form.problem("sentAt"),
    width: "medium",
    isOptional: true,
  })}${textField({
    name: "createdAt",
    label: texts.createdAt,
    type: "datetime-local",
    hint: stored === null ? texts.createdAtHint : null,
    value: form.value("createdAt", shown(stored?.createdAt)),
    error: form.problem("createdAt"),
    width: "medium",
    isOptional: stored === null,
  })}`;
}

/** What was typed; null: nothing. A time that was left as it is shown keeps its seconds. */
export function readTimes(
  form: Form,
  { timeZone }: Formats,
  stored: Times | null,
): { readonly createdAt: number | null; readonly sentAt: number | null } {
  const read = (name: keyof Times): number | null => {
    const text = form.text(name).trim();
    if (text === "") return null;
    const before = stored?.[name] ?? null;
    if (before !== null && localTime(before, timeZone) === text) return before;
    const at = readLocalTime(text, timeZone);
    if (at === null) throw new FormRefused({ fields: { [name]: texts.notATime } });
    return at;
  };
  return { createdAt: read("createdAt"), sentAt: read("sentAt") };
}
