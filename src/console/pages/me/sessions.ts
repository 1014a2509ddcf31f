/** Sessions: in which browsers the user is signed in. */
import { endMySession, listMySessions } from "#admin/users/sessions.ts";
import { badge } from "#html/components/badge.ts";
import { button } from "#html/components/buttons.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { doing } from "../../kit/forms/form.ts";
import { type FormHandler, redirect } from "../../kit/page.ts";
import { SIGN_IN_PATH } from "../../kit/serve/serve-pages.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./me.texts.ts";

export async function sessionsPart({ perform, formats, now }: Visit<"/me">): Promise<Html> {
  const rows = await perform(listMySessions, {});
  return section(
    texts.sessions,
    table({
      caption: texts.sessions,
      rows,
      columns: [
        {
          label: texts.program,
          cell: ({ program, isCurrent }) =>
            isCurrent ? html`${program} ${badge(texts.thisOne, "good")}` : program,
        },
        { label: texts.from, cell: ({ client }) => client },
        { label: texts.since, cell: ({ createdAt }) => formats.time(createdAt), isMinor: true },
        { label: texts.lastUsed, cell: ({ lastUsedAt }) => formats.ago(lastUsedAt, now) },
      ],
      actions: ({ id }) =>
        html`<form method="post">${doing("end-session")}${button({ label: texts.end, emphasis: "quiet", name: "session", value: String(id) })}</form>`,
    }),
    { description: texts.sessionsDescription },
  );
}

export const sessionForms: Readonly<Record<string, FormHandler<Visit<"/me">>>> = {
  "end-session": {
    submit: async ({ perform, form, path, base, session }) => {
      const id = Number(form.text("session"));
      await perform(endMySession, { session: Number.isSafeInteger(id) ? id : 0 });
      if (id === session.id) return { ...redirect(`${base}${SIGN_IN_PATH}?signed-out`), session: null };
      return redirect(path, texts.ended);
    },
  },
};
