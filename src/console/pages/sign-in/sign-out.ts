/** `/console/sign-out`: ends the session. */
import { endMySession } from "#admin/users/sessions.ts";
import { sessionProof, userActor } from "#auth/users/actor.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { html } from "#html/html.ts";
import { ONLY_FORM } from "../../kit/forms/form.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, guestPage, redirect } from "../../kit/page.ts";
import { SIGN_IN_PATH } from "../../kit/serve/serve-pages.ts";
import * as texts from "./sign-out.texts.ts";

export const signOutPage = guestPage({
  path: "/sign-out",
  show: async (guest) => {
    if (guest.user === null) return redirect(`${guest.base}${SIGN_IN_PATH}`);
    return content(
      texts.title,
      html`<h1>${texts.title}</h1>${formOf(ONLY_FORM, {
        shown: guest.shown(ONLY_FORM),
        body: html`<p>${texts.explain}</p>${buttonRow(button({ label: texts.title, emphasis: "primary" }))}`,
      })}`,
    );
  },
  forms: {
    [ONLY_FORM]: {
      submit: async ({ user, session, base, client, performAs }) => {
        if (user !== null && session !== null) {
          const actor = userActor(user, sessionProof(session), "administrator", client);
          await performAs(actor, endMySession, { session: session.id });
        }
        return { ...redirect(`${base}${SIGN_IN_PATH}?signed-out`), session: null };
      },
    },
  },
});
