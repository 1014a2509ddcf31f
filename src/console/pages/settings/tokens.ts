/** `/console/{account}/settings/tokens`: what programs of the user call the JSON API with. */
import { createMyToken, listMyTokens, revokeMyToken } from "#admin/users/me.ts";
import { isUsableToken } from "#domain/access/session.ts";
import { highestRole, isAtLeast, type Role, roles } from "#domain/access/user.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { codeBlock, secret } from "#html/components/code.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { API_PATH } from "#web/api-path.ts";
import { doing } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import { type Forms, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { roleNames } from "../users/users.ts";
import { settingsContent, settingsLink } from "./settings-header.ts";

/** Own tokens, for programs: on the page of the user, and in the settings. A new one is shown once. */
const DAY_MS = 86_400_000;
const lifetimes = [30, 90, 365];

type TokensContext = Pick<
  PageContext,
  "user" | "perform" | "formats" | "now" | "formState" | "form" | "path" | "serviceAddress"
>;

/** A first call, to try the token. */
const curl = (serviceAddress: string, secretText: string): string =>
  `curl -H "Authorization: Bearer ${secretText}" ${serviceAddress}${API_PATH}/me`;

export async function tokensPart(context: TokensContext): Promise<Html> {
  const { user, perform, formats, now, formState } = context;
  const all = await perform(listMyTokens, {});
  const rows = all.filter((token) => !token.isLogIn && isUsableToken(token, user, now));
  const listed = table({
    caption: "Tokens",
    rows,
    columns: [
      { label: "Tokens", cell: ({ name }) => name },
      { label: "Role", cell: ({ role }) => roleNames[role] },
      { label: "Created", cell: ({ createdAt }) => formats.time(createdAt), isMinor: true },
      {
        label: "Expires",
        cell: ({ expiresAt }) => (expiresAt === null ? "Never" : formats.time(expiresAt)),
      },
      {
        label: "Last used",
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : formats.ago(lastUsedAt, now)),
      },
    ],
    actions: ({ id }) =>
      html`<form method="post">${doing("revoke-token")}${button({ label: "Revoke", emphasis: "quiet", name: "token", value: String(id) })}</form>`,
  });
  const form = formState("create-token");
  const highest = highestRole(user);
  const create = html`${textField({
    ...form.field("tokenName"),
    label: "What is it for?",
    width: "medium",
  })}${selectField({
    ...form.field("tokenRole", highest ?? ""),
    label: "Role",
    options: roles
      .filter((role) => highest !== null && isAtLeast(highest, role))
      .map((value) => ({ value, label: roleNames[value] })),
    width: "short",
  })}${selectField({
    ...form.field("tokenDays", "90"),
    label: "Expires",
    options: [
      ...lifetimes.map((count) => ({ value: String(count), label: `In ${count} days` })),
      { value: "", label: "Never" },
    ],
    width: "short",
    isOptional: true,
  })}${buttonRow(button({ label: "Create a token" }))}`;
  return section(
    "Tokens",
    html`${rows.length === 0 ? html`<p>You have no token.</p>` : listed}
${highest === null ? null : formOf("create-token", { state: form, isIdempotent: true, body: create })}`,
    {
      description: "With a token, a script uses the JSON API as you, with at most the role that you choose.",
    },
  );
}

export const tokenForms: Forms<TokensContext> = {
  "create-token": {
    submit: async ({ perform, form, now, path, serviceAddress }) => {
      const count = lifetimes.find((one) => String(one) === form.text("tokenDays"));
      const created = await perform(createMyToken, {
        name: form.text("tokenName"),
        role: roles.find((role): role is Role => role === form.text("tokenRole")) ?? null,
        expiresAt: count === undefined ? null : now + count * DAY_MS,
      });
      return titled(
        { title: "Your new token", parent: { label: "Back", href: path } },
        html`${secret(created.token.name, created.secret, "Copy it now: it is not stored, and is never shown again.")}
${section("Try it", codeBlock("Try it", curl(serviceAddress, created.secret)), { description: "Answers with who you are, and with the roles that the token has." })}
${buttonRow(buttonLink({ label: "Done", href: path, emphasis: "primary" }))}`,
      );
    },
    hasSecret: true,
    inputs: { name: "tokenName", role: "tokenRole", expiresAt: "tokenDays" },
  },
  "revoke-token": async ({ perform, form, path }) => {
    const id = Number(form.text("token"));
    await perform(revokeMyToken, { token: Number.isSafeInteger(id) ? id : 0 });
    return redirect(path, "The token is revoked.");
  },
};

export const tokensPage = page({
  path: "/{account}/settings/tokens",
  role: "viewer",
  show: async (context) =>
    settingsContent(
      context,
      "/tokens",
      "Tokens",
      html`${await tokensPart(context)}
${
  context.may("owner")
    ? section(
        "Tokens of other users",
        buttonRow(buttonLink({ label: "Go to the users", href: settingsLink(context, "/users") })),
        {
          description: "They are on the page of each user, where you can revoke them.",
        },
      )
    : null
}`,
    ),
  forms: tokenForms,
});
