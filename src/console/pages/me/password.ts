/** The own password: changed with the current one, or without it soon after signing in with a link. */
import { changePassword } from "#admin/users/me.ts";
import { mayResetPassword, PASSWORD_RESET_MS } from "#domain/access/session.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { type FormHandler, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./me.texts.ts";

export function passwordPart({ user, session, shown, now, formats }: Visit<"/me">): Html {
  const form = shown("password");
  const current = textField({
    name: "oldPassword",
    label: texts.oldPassword,
    type: "password",
    autocomplete: "current-password",
    error: form.problem("oldPassword"),
    width: "medium",
  });
  const linkAt = session.begunWith === "link" ? session.createdAt : null;
  const proof =
    user.passwordSetAt === null
      ? html`<p>${texts.noPassword}</p>`
      : linkAt !== null && mayResetPassword(linkAt, now)
        ? html`<p>${texts.forgotten(formats.dateTime(linkAt + PASSWORD_RESET_MS))}</p>`
        : current;
  const body = html`${proof}${textField({
    name: "newPassword",
    label: texts.newPassword,
    type: "password",
    autocomplete: "new-password",
    hint: texts.newPasswordHint,
    error: form.problem("newPassword"),
    width: "medium",
  })}${buttonRow(button({ label: texts.changePassword }))}`;
  return section(texts.password, formOf("password", { shown: form, body }), {
    description: texts.passwordDescription,
  });
}

export const passwordForms: Readonly<Record<string, FormHandler<Visit<"/me">>>> = {
  password: {
    submit: async ({ perform, form, path }) => {
      await perform(changePassword, {
        oldPassword: form.text("oldPassword"),
        password: form.text("newPassword"),
      });
      return redirect(path, texts.passwordChanged);
    },
    inputs: { password: "newPassword" },
  },
};
