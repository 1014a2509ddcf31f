/** `…/subscribers/{subscriber}/unsubscribe`: from all lists, after saying what that means. */
import { unsubscribe } from "#admin/subscribers/subscribers.ts";
import { objectLinks } from "#console/kit/addresses/object-links.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { content, page, redirect } from "#console/kit/page.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { emailOf } from "../email.ts";
import { UNSUBSCRIBE } from "../links.ts";
import * as texts from "./unsubscribe.texts.ts";

export const unsubscribePage = page({
  path: UNSUBSCRIBE,
  role: "editor",
  show: async (visit) => {
    const id = visit.params.subscriber;
    const [email, person] = [await emailOf(visit, id), objectLinks(visit).subscriber(id)];
    const body = buttonRow(
      button({ label: texts.confirm, emphasis: "danger" }),
      buttonLink({ label: texts.cancel, href: person, emphasis: "quiet" }),
    );
    return content(
      texts.title,
      html`${pageHeader({ title: texts.title, parent: { label: email, href: person } })}
${confirmation({
  title: texts.question(email),
  affected: texts.affected,
  consequences: texts.consequences,
  isDangerous: true,
  body: formOf("unsubscribe", { shown: visit.shown("unsubscribe"), body }),
})}`,
    );
  },
  forms: {
    unsubscribe: {
      submit: async (visit) => {
        const id = visit.params.subscriber;
        await visit.perform(unsubscribe, { account: visit.account.id, id });
        return redirect(objectLinks(visit).subscriber(id), texts.done);
      },
    },
  },
});
