/** `/console/sign-in`: e-mail address, password and, where set, a code. */
import { signIn } from "#admin/users/sign-in.ts";
import type { LoggedIn } from "#auth/users/log-in.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import type { ConsoleOptions } from "../../kit/context.ts";
import { FormRefused } from "../../kit/failures.ts";
import { ONLY_FORM } from "../../kit/forms/form.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import type { Guest } from "../../kit/guest.ts";
import { content, guestPage, redirect } from "../../kit/page.ts";
import { ownPath } from "../../kit/serve/same-origin.ts";
import { NOT_SAVED, SIGN_IN_PATH } from "../../kit/serve/serve-pages.ts";
import { codeField } from "./code-field.ts";
import * as texts from "./sign-in.texts.ts";

/** The page that was asked for. */
const nextPage = ({ query, base }: Guest): string => ownPath(query.get("next"), base) ?? base;

/** Where anybody on the network can read the password. */
export const plainWarning = ({ isSecure, isLocal }: Guest): Html | null =>
  isSecure || isLocal ? null : notice("warning", texts.plainTitle, texts.plain);

/** Why somebody is here. */
function reasonOf({ query }: Guest): Html | null {
  if (query.has(NOT_SAVED)) return notice("warning", texts.sessionEnded, texts.notSaved);
  return query.has("signed-out") ? notice("good", texts.signedOut) : null;
}

type Checked = Extract<LoggedIn, { readonly kind: "user" }>;
function checked(result: LoggedIn): Checked {
  if (result.kind === "user") return result;
  if (result.kind === "code needed") throw new FormRefused({ fields: { code: texts.codeNeeded } });
  throw new FormRefused({ message: texts.wrong });
}

export const signInPage = ({ logIn, store }: Pick<ConsoleOptions, "logIn" | "store">) =>
  guestPage({
    path: SIGN_IN_PATH,
    show: async (guest) => {
      if (guest.user !== null) return redirect(nextPage(guest));
      const shown = guest.shown(ONLY_FORM);
      const hasAdministrator = await store.forOperators.sessions.hasAdministrator();
      const fields = html`${textField({
        name: "email",
        label: texts.email,
        type: "email",
        autocomplete: "username",
        value: shown.value("email"),
      })}${textField({
        name: "password",
        label: texts.password,
        type: "password",
        autocomplete: "current-password",
      })}${codeField(shown, texts.codeHint, true)}${buttonRow(button({ label: texts.signIn, emphasis: "primary" }))}`;
      return content(
        texts.title,
        html`<h1>${texts.title}</h1>
${shown.isRefused ? null : reasonOf(guest)}
${hasAdministrator ? null : notice("info", texts.noAdministratorTitle, texts.noAdministrator)}
${plainWarning(guest)}
${formOf(ONLY_FORM, { shown, body: fields })}`,
      );
    },
    forms: {
      [ONLY_FORM]: {
        submit: async (guest) => {
          const { form, client, program } = guest;
          const code = form.text("code").trim();
          const given = { email: form.text("email").trim(), password: form.text("password") };
          const { actor } = checked(await logIn({ ...given, code: code === "" ? null : code }, client));
          const { secret } = await guest.performAs(actor, signIn, { program });
          return { ...redirect(nextPage(guest)), session: secret };
        },
      },
    },
  });
