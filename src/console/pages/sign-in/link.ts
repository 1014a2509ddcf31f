/**
 * `/console/link`: signs a user in, or creates the first administrator, with a link that works once. Opening
 * the address uses nothing up, because mail programs and virus scanners open links, too.
 */
import { createFirstAdministrator, signIn } from "#admin/users/sign-in.ts";
import { userActor } from "#auth/users/actor.ts";
import type { LoggedIn } from "#auth/users/log-in.ts";
import { findSignInLink } from "#auth/users/sign-in-links.ts";
import type { Actor } from "#domain/access/actor.ts";
import type { User } from "#domain/access/user.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import type { ConsoleOptions } from "../../kit/context.ts";
import { FormRefused, PageFailure } from "../../kit/failures.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import type { Guest } from "../../kit/guest.ts";
import { content, guestPage, redirect } from "../../kit/page.ts";
import { codeField } from "./code-field.ts";
import * as texts from "./link.texts.ts";
import { plainWarning } from "./sign-in.ts";

const secretOf = ({ query }: Guest): string => query.get("token") ?? "";
const unusable = (): PageFailure => new PageFailure(404, texts.unusableTitle, texts.unusable);

const newcomer = (guest: Guest): Html => {
  const shown = guest.shown("create");
  const field = (name: string, label: string) => ({
    name,
    label,
    value: shown.value(name),
    error: shown.problem(name),
  });
  return formOf("create", {
    shown,
    body: html`${textField({ ...field("email", texts.email), type: "email", autocomplete: "username" })}
${textField({ ...field("name", texts.name), autocomplete: "name", isOptional: true })}
${textField({ ...field("password", texts.password), type: "password", autocomplete: "new-password", hint: texts.passwordHint })}
${buttonRow(button({ label: texts.create, emphasis: "primary" }))}`,
  });
};

const existing = (guest: Guest, { email, totpSince }: User): Html => {
  const shown = guest.shown("sign-in");
  const code = codeField(shown, texts.codeHint);
  const signsIn = buttonRow(button({ label: texts.signIn, emphasis: "primary" }));
  const hasFactor = totpSince !== null;
  return html`<div class="stack"><p>${texts.explain(email)}</p>
${formOf("sign-in", { shown, body: html`${hasFactor ? code : null}${signsIn}` })}
${hasFactor ? html`<p class="hint">${texts.lost}</p>` : null}</div>`;
};

/** Throws if the link or the code is wrong. The link works on until the code was right. */
function checked(result: LoggedIn | null): Actor {
  if (result === null) throw unusable();
  if (result.kind === "user") return result.actor;
  const problem = result.kind === "failed" ? texts.codeWrong : texts.codeNeeded;
  throw new FormRefused({ fields: { code: problem } });
}

/** The link was made on the command line, so its holder acts as the operator. */
const holder = (client: string): Actor => ({
  origin: { kind: "operator" },
  from: client,
  roleIn: () => "administrator",
});

export const linkPage = ({ store, useLink }: Pick<ConsoleOptions, "store" | "useLink">) =>
  guestPage({
    path: "/link",
    show: async (guest) => {
      const found = await findSignInLink(store.forOperators, secretOf(guest), guest.now);
      if (found === null) throw unusable();
      const [title, body] =
        found === "first" ? [texts.firstTitle, newcomer(guest)] : [texts.title, existing(guest, found)];
      return content(title, html`<h1>${title}</h1>${plainWarning(guest)}${body}`);
    },
    forms: {
      "sign-in": {
        submit: async (guest) => {
          const { form, client, program, base } = guest;
          const code = form.has("code") ? form.text("code") : null;
          const actor = checked(await useLink(secretOf(guest), code, client));
          const { secret } = await guest.performAs(actor, signIn, { program });
          return { ...redirect(base), session: secret };
        },
      },
      create: {
        submit: async (guest) => {
          const { form, now, client, program, base } = guest;
          const secret = secretOf(guest);
          if ((await findSignInLink(store, secret, now)) !== "first") throw unusable();
          const user = await guest.performAs(holder(client), createFirstAdministrator, {
            secret,
            email: form.text("email"),
            name: form.text("name"),
            password: form.text("password"),
          });
          // The password was typed just now.
          const actor = userActor(user, { kind: "password" }, "administrator", client);
          const created = await guest.performAs(actor, signIn, { program });
          return { ...redirect(base, texts.welcome), session: created.secret };
        },
      },
    },
  });
