/** Where a user is signed in, and with what programs act as the user. */
import { endUserSession, listUserSessions } from "#admin/users/sessions.ts";
import { listUserTokens, revokeUserToken } from "#admin/users/tokens.ts";
import type { User } from "#domain/access/user.ts";
import { isUsableToken } from "#domain/access/user-token.ts";
import { button } from "#html/components/buttons.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { doing } from "../../kit/forms/form.ts";
import { redirect } from "../../kit/page.ts";
import { placeOf } from "../settings/place.ts";
import * as texts from "./user.texts.ts";
import type { OneUserVisit, UserForms } from "./user-role.ts";
import { roleNames } from "./users.texts.ts";

const rowButton = (form: string, label: string, name: string, id: number): Html =>
  html`<form method="post">${doing(form)}${button({ label, emphasis: "quiet", name, value: String(id) })}</form>`;

export async function sessionsPart(visit: OneUserVisit, { id }: User): Promise<Html> {
  const { perform, formats, now } = visit;
  const rows = await perform(listUserSessions, { account: placeOf(visit).account, id });
  const body =
    rows.length === 0
      ? html`<p>${texts.noSessions}</p>`
      : table({
          caption: texts.sessions,
          rows,
          columns: [
            { label: texts.program, cell: ({ program }) => program },
            { label: texts.from, cell: ({ client }) => client },
            { label: texts.signedInAt, cell: ({ createdAt }) => formats.time(createdAt), isMinor: true },
            { label: texts.lastUsed, cell: ({ lastUsedAt }) => formats.ago(lastUsedAt, now) },
          ],
          actions: (session) => rowButton("end-session", texts.end, "session", session.id),
        });
  return section(texts.sessions, body, { description: texts.sessionsDescription });
}

export async function tokensPart(visit: OneUserVisit, user: User): Promise<Html> {
  const { perform, formats, now } = visit;
  const all = await perform(listUserTokens, { account: placeOf(visit).account, id: user.id });
  // Of a user who is disabled, those that would work again.
  const rows = all.filter(
    (token) => !token.isLogIn && isUsableToken(token, { ...user, disabledAt: null }, now),
  );
  const body =
    rows.length === 0
      ? html`<p>${texts.noTokens}</p>`
      : table({
          caption: texts.tokens,
          rows,
          columns: [
            { label: texts.tokenName, cell: ({ name }) => name },
            { label: texts.atMost, cell: ({ role }) => roleNames[role] },
            {
              label: texts.expires,
              cell: ({ expiresAt }) => (expiresAt === null ? texts.never : formats.time(expiresAt)),
            },
            {
              label: texts.lastUsed,
              cell: ({ lastUsedAt }) => (lastUsedAt === null ? texts.never : formats.ago(lastUsedAt, now)),
            },
          ],
          actions: (token) => rowButton("revoke-token", texts.revoke, "token", token.id),
        });
  return section(texts.tokens, body, { description: texts.tokensDescription });
}

const idIn = (text: string): number => (Number.isSafeInteger(Number(text)) ? Number(text) : 0);

export const accessForms: UserForms = {
  "end-session": {
    submit: async (visit) => {
      const { perform, params, form, path } = visit;
      const one = { account: placeOf(visit).account, id: params.user };
      await perform(endUserSession, { ...one, session: idIn(form.text("session")) });
      return redirect(path, texts.ended);
    },
  },
  "revoke-token": {
    submit: async (visit) => {
      const { perform, params, form, path } = visit;
      const one = { account: placeOf(visit).account, id: params.user };
      await perform(revokeUserToken, { ...one, token: idIn(form.text("token")) });
      return redirect(path, texts.revoked);
    },
  },
};
