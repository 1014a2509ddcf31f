/** The second factor: set up, confirmed with a code, removed. Secret and recovery codes are shown once. */
import { confirmMyTotp, enrolMyTotp, removeMyTotp } from "#admin/users/me.ts";
import type { User } from "#domain/access/user.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { codeBlock, secret } from "#html/components/code.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { besideCode, qrCode } from "#html/components/qr-code.ts";
import { type Html, html } from "#html/html.ts";
import type { ShownForm } from "../../kit/forms/form.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, type FormHandler, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./me.texts.ts";

/** A user who has no password yet has none to type. */
const passwordField = ({ passwordSetAt }: User, name: string, form: ShownForm): Html | null =>
  passwordSetAt === null
    ? null
    : textField({
        name,
        label: texts.oldPassword,
        type: "password",
        autocomplete: "current-password",
        error: form.problem(name),
        width: "medium",
      });

const confirmForm = (shown: Visit["shown"], action?: string): Html => {
  const form = shown("confirm");
  return formOf("confirm", {
    shown: form,
    ...(action === undefined ? {} : { action }),
    body: html`${textField({
      name: "code",
      label: texts.code,
      error: form.problem("code"),
      autocomplete: "one-time-code",
      inputMode: "numeric",
      width: "short",
    })}${buttonRow(button({ label: texts.confirm, emphasis: "primary" }))}`,
  });
};

export function factorPart({ user, shown, formats }: Visit<"/me">): Html {
  const [enrol, remove] = [shown("enrol"), shown("remove")];
  const isOn = user.totpSince !== null;
  const explained = isOn ? texts.factorOn(formats.dateTime(user.totpSince)) : texts.factorOff;
  const setUp = formOf("enrol", {
    shown: enrol,
    body: html`${passwordField(user, "enrolPassword", enrol)}${buttonRow(button({ label: isOn ? texts.setUpAgain : texts.setUp }))}`,
  });
  const off = formOf("remove", {
    shown: remove,
    body: html`${passwordField(user, "removePassword", remove)}${buttonRow(button({ label: texts.remove, emphasis: "danger" }))}`,
  });
  return section(
    texts.factor,
    html`<p>${explained}</p>
${user.isTotpPending ? html`<p>${texts.pending}</p>${confirmForm(shown)}` : null}
${setUp}${isOn ? off : null}`,
  );
}

export const factorForms: Readonly<Record<string, FormHandler<Visit<"/me">>>> = {
  enrol: {
    submit: async ({ perform, form, shown, path }) => {
      const enrolment = await perform(enrolMyTotp, { password: form.text("enrolPassword") });
      return content(
        texts.enrolTitle,
        html`${pageHeader({ title: texts.enrolTitle, parent: { label: texts.title, href: path } })}
${besideCode(
  qrCode(texts.qrCode, enrolment.uri),
  html`<p>${texts.enrolExplain}</p>
${codeBlock(texts.secret, enrolment.secret)}
${buttonRow(buttonLink({ label: texts.openApp, href: enrolment.uri }))}
${confirmForm(shown, path)}`,
)}`,
      );
    },
    inputs: { password: "enrolPassword" },
  },
  confirm: {
    submit: async ({ perform, form, path }) => {
      const { recoveryCodes } = await perform(confirmMyTotp, { code: form.text("code") });
      return content(
        texts.recoveryTitle,
        html`${pageHeader({ title: texts.recoveryTitle })}
${secret(texts.recoveryTitle, recoveryCodes.join("\n"), texts.recoveryAdvice)}
${buttonRow(buttonLink({ label: texts.done, href: path, emphasis: "primary" }))}`,
      );
    },
  },
  remove: {
    submit: async ({ perform, form, path }) => {
      await perform(removeMyTotp, { password: form.text("removePassword") });
      return redirect(path, texts.removed);
    },
    inputs: { password: "removePassword" },
  },
};
