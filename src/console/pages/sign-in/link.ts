/**
 * `/console/link`: signs a user in, or creates the first administrator, with a link that works once. Opening
 * the address uses nothing up, because mail programs and virus scanners open links, too.
 */
import { createFirstAdministrator, signIn } from "../../../admin/users/sign-in.ts";
import { userActor } from "../../../auth/users/actor.ts";
import { findSignInLink, useSignInLink } from "../../../auth/users/sign-in-links.ts";
import type { Actor } from "../../../domain/access/actor.ts";
import type { User } from "../../../domain/access/user.ts";
import { button, buttonRow } from "../../../html/components/buttons.ts";
import { textField } from "../../../html/components/fields.ts";
import { type Html, html } from "../../../html/html.ts";
import type { ConsoleOptions } from "../../kit/context.ts";
import { PageFailure } from "../../kit/failures.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import type { Guest } from "../../kit/guest.ts";
import { content, guestPage, redirect } from "../../kit/page.ts";
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

const existing = (guest: Guest, user: User): Html => html`<p>${texts.explain(user.email)}</p>
${formOf("sign-in", {
  shown: guest.shown("sign-in"),
  body: buttonRow(button({ label: texts.signIn, emphasis: "primary" })),
})}`;

/** The link was made on the command line, so its holder acts as the operator. */
const holder = (client: string): Actor => ({
  origin: { kind: "operator" },
  from: client,
  roleIn: () => "administrator",
});

export const linkPage = ({ store }: Pick<ConsoleOptions, "store">) =>
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
          const { now, client, program, base } = guest;
          const actor = await useSignInLink(store, secretOf(guest), now, client);
          if (actor === null) throw unusable();
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
          const actor = userActor(user, { kind: "link" }, "administrator", client);
          const created = await guest.performAs(actor, signIn, { program });
          return { ...redirect(base, texts.welcome), session: created.secret };
        },
      },
    },
  });
