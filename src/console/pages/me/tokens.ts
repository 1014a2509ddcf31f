/** Own tokens, for programs: on the page of the user, and in the settings. A new one is shown once. */
import { createMyToken, listMyTokens, revokeMyToken } from "#admin/users/me.ts";
import { API_PATH } from "#api/v2/api-path.ts";
import { isAtLeast, type Role, roles } from "#domain/access/role.ts";
import { highestRole } from "#domain/access/user.ts";
import { isUsableToken } from "#domain/access/user-token.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { codeBlock, secret } from "#html/components/code.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { doing } from "../../kit/forms/form.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, type FormHandler, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import { roleNames } from "../users/users.texts.ts";
import * as texts from "./me.texts.ts";

const DAY_MS = 86_400_000;
const lifetimes = [30, 90, 365];

type TokensVisit = Pick<
  Visit,
  "user" | "perform" | "formats" | "now" | "shown" | "form" | "path" | "serviceAddress"
>;

/** A first call, to try the token. */
const curl = (serviceAddress: string, secretText: string): string =>
  `curl -H "Authorization: Bearer ${secretText}" ${serviceAddress}${API_PATH}/me`;

export async function tokensPart(visit: TokensVisit): Promise<Html> {
  const { user, perform, formats, now, shown } = visit;
  const all = await perform(listMyTokens, {});
  const rows = all.filter((token) => !token.isLogIn && isUsableToken(token, user, now));
  const listed = table({
    caption: texts.tokens,
    rows,
    columns: [
      { label: texts.tokens, cell: ({ name }) => name },
      { label: texts.tokenRole, cell: ({ role }) => roleNames[role] },
      { label: texts.created, cell: ({ createdAt }) => formats.time(createdAt), isMinor: true },
      {
        label: texts.expires,
        cell: ({ expiresAt }) => (expiresAt === null ? texts.never : formats.time(expiresAt)),
      },
      {
        label: texts.lastUsed,
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? texts.never : formats.ago(lastUsedAt, now)),
      },
    ],
    actions: ({ id }) =>
      html`<form method="post">${doing("revoke-token")}${button({ label: texts.revoke, emphasis: "quiet", name: "token", value: String(id) })}</form>`,
  });
  const form = shown("create-token");
  const highest = highestRole(user);
  const create = html`${textField({
    name: "tokenName",
    label: texts.tokenName,
    value: form.value("tokenName"),
    error: form.problem("tokenName"),
    width: "medium",
  })}${selectField({
    name: "tokenRole",
    label: texts.tokenRole,
    value: form.value("tokenRole", highest ?? ""),
    error: form.problem("tokenRole"),
    options: roles
      .filter((role) => highest !== null && isAtLeast(highest, role))
      .map((value) => ({ value, label: roleNames[value] })),
    width: "short",
  })}${selectField({
    name: "tokenDays",
    label: texts.expires,
    value: form.value("tokenDays", "90"),
    error: form.problem("tokenDays"),
    options: [
      ...lifetimes.map((count) => ({ value: String(count), label: texts.days(count) })),
      { value: "", label: texts.never },
    ],
    width: "short",
    isOptional: true,
  })}${buttonRow(button({ label: texts.createToken }))}`;
  return section(
    texts.tokens,
    html`${rows.length === 0 ? html`<p>${texts.noTokens}</p>` : listed}
${highest === null ? null : formOf("create-token", { shown: form, isOnce: true, body: create })}`,
    { description: texts.tokensDescription },
  );
}

export const tokenForms: Readonly<Record<string, FormHandler<TokensVisit>>> = {
  "create-token": {
    submit: async ({ perform, form, now, path, serviceAddress }) => {
      const count = lifetimes.find((one) => String(one) === form.text("tokenDays"));
      const created = await perform(createMyToken, {
        name: form.text("tokenName"),
        role: roles.find((role): role is Role => role === form.text("tokenRole")) ?? null,
        expiresAt: count === undefined ? null : now + count * DAY_MS,
      });
      return content(
        texts.tokenTitle,
        html`${pageHeader({ title: texts.tokenTitle, parent: { label: texts.back, href: path } })}
${secret(created.token.name, created.secret, texts.tokenAdvice)}
${section(texts.tryIt, codeBlock(texts.tryIt, curl(serviceAddress, created.secret)), { description: texts.tryItHint })}
${buttonRow(buttonLink({ label: texts.done, href: path, emphasis: "primary" }))}`,
      );
    },
    hasSecret: true,
    inputs: { name: "tokenName", role: "tokenRole", expiresAt: "tokenDays" },
  },
  "revoke-token": {
    submit: async ({ perform, form, path }) => {
      const id = Number(form.text("token"));
      await perform(revokeMyToken, { token: Number.isSafeInteger(id) ? id : 0 });
      return redirect(path, texts.revoked);
    },
  },
};
