/** `/console/me`: what users do about themselves. */
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { content, page } from "../../kit/page.ts";
import * as texts from "./me.texts.ts";
import { passwordForms, passwordPart } from "./password.ts";
import { profileForms, profilePart } from "./profile.ts";
import { factorForms, factorPart } from "./second-factor.ts";
import { sessionForms, sessionsPart } from "./sessions.ts";
import { tokenForms, tokensPart } from "./tokens.ts";

export const mePage = page({
  path: "/me",
  show: async (visit) =>
    content(
      texts.title,
      html`${pageHeader({ title: texts.title, description: visit.user.email })}
${profilePart(visit)}
${passwordPart(visit)}
${factorPart(visit)}
${await sessionsPart(visit)}
${await tokensPart(visit)}`,
    ),
  forms: { ...profileForms, ...passwordForms, ...factorForms, ...sessionForms, ...tokenForms },
});
