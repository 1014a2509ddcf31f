/** Signing in with a password or a link, creating the first administrator, and signing out. */

import { MIN_PASSWORD_LENGTH } from "#admin/users/credentials.ts";
import { endMySession } from "#admin/users/sessions.ts";
import { createFirstAdministrator, signIn } from "#admin/users/sign-in.ts";
import { sessionProof, userActor } from "#auth/users/actor.ts";
import type { LoggedIn } from "#auth/users/log-in.ts";
import { findSignInLink } from "#auth/users/sign-in-links.ts";
import type { Actor } from "#domain/access/actor.ts";
import type { User } from "#domain/access/user.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused, PageFailure } from "../kit/errors.ts";
import { type FormState, ONLY_FORM } from "../kit/form.ts";
import { formOf } from "../kit/form-html.ts";
import type { ConsoleOptions } from "../kit/options.ts";
import { content, type GuestContext, guestPage, redirect } from "../kit/page.ts";
import { ownPath } from "../kit/serve/cookies.ts";
import { NOT_SAVED, SIGN_IN_PATH } from "../kit/serve/serve-pages.ts";

/** The field for a code of the second factor, or a recovery code. */
const codeField = (shown: FormState, hint: string, isOptional = false): Html =>
  textField({
    name: "code",
    label: code,
    hint,
    error: shown.problem("code"),
    autocomplete: "one-time-code",
    width: "medium",
    isOptional,
  });

const code = "Code";

// `/console/sign-in`: e-mail address, password and, where set, a code.

/** The page that was asked for. */
const nextPage = ({ query, base }: GuestContext): string => ownPath(query.get("next"), base) ?? base;

/** Where others on the network can read the password. */
const plainWarning = ({ isSecure, isLocal }: GuestContext): Html | null =>
  isSecure || isLocal
    ? null
    : notice(
        "warning",
        "This connection is not encrypted",
        "Anybody on the network between you and the server can read your password. Ask the operator of the server to serve the console over HTTPS.",
      );

/** Why the user is here. */
function reasonOf({ query }: GuestContext): Html | null {
  if (query.has(NOT_SAVED))
    return notice(
      "warning",
      "You are not signed in any more.",
      "What you sent was not saved. Sign in, then enter it again.",
    );
  return query.has("signed-out") ? notice("good", "You are signed out.") : null;
}

type Checked = Extract<LoggedIn, { readonly kind: "user" }>;
function checked(result: LoggedIn): Checked {
  if (result.kind === "user") return result;
  if (result.kind === "code needed")
    throw new FormRefused({
      fields: { code: "You use two-factor sign-in. Enter the code, and your password again." },
    });
  throw new FormRefused({ message: "The e-mail address, the password or the code is wrong." });
}

export const signInPage = ({ logIn, store }: Pick<ConsoleOptions, "logIn" | "store">) =>
  guestPage({
    path: SIGN_IN_PATH,
    show: async (guest) => {
      if (guest.user !== null) return redirect(nextPage(guest));
      const shown = guest.formState(ONLY_FORM);
      const hasAdministrator = await store.forOperators.sessions.hasAdministrator();
      const fields = html`${textField({
        name: "email",
        label: "E-mail address",
        type: "email",
        autocomplete: "username",
        value: shown.value("email"),
      })}${textField({
        name: "password",
        label: "Password",
        type: "password",
        autocomplete: "current-password",
      })}${codeField(shown, "Only if you use two-factor sign-in: the code from your authenticator app, or a recovery code.", true)}${buttonRow(button({ label: "Sign in", emphasis: "primary" }))}`;
      return content(
        "Sign in",
        html`<h1>Sign in</h1>
${shown.isRefused ? null : reasonOf(guest)}
${hasAdministrator ? null : notice("info", "Nobody can sign in yet", "The operator of the server runs “mailroll console link”, and opens the link that it prints to create the first administrator.")}
${plainWarning(guest)}
${formOf(ONLY_FORM, { state: shown, body: fields })}`,
      );
    },
    forms: {
      [ONLY_FORM]: async (guest) => {
        const { form, client, program } = guest;
        const code = form.text("code").trim();
        const given = { email: form.text("email").trim(), password: form.text("password") };
        const { actor } = checked(await logIn({ ...given, code: code === "" ? null : code }, client));
        const { secret } = await guest.performAs(actor, signIn, { program });
        return { ...redirect(nextPage(guest)), session: secret };
      },
    },
  });

const linkTexts = {
  unusable:
    "It was already used, is older than 15 minutes, or is incomplete. For a new one, the operator of the server runs “mailroll console link”, " +
    "with your e-mail address if you already are a user.",
};

/**
 * `/console/link`: signs a user in, or creates the first administrator, with a link that works once. Opening
 * the address uses nothing up, because mail programs and virus scanners open links, too.
 */
const secretOf = ({ query }: GuestContext): string => query.get("token") ?? "";
const unusable = (): PageFailure =>
  new PageFailure(404, "This link does not work any more", linkTexts.unusable);

const newcomer = (guest: GuestContext): Html => {
  const shown = guest.formState("create");
  const field = (name: string, label: string) => ({ ...shown.field(name), label });
  return formOf("create", {
    state: shown,
    body: html`${textField({ ...field("email", "E-mail address"), type: "email", autocomplete: "username" })}
${textField({ ...field("name", "Name"), autocomplete: "name", isOptional: true })}
${textField({ ...field("password", "Password"), type: "password", autocomplete: "new-password", hint: `At least ${MIN_PASSWORD_LENGTH} characters. A sentence is easy to remember and hard to guess.` })}
${buttonRow(button({ label: "Create and sign in", emphasis: "primary" }))}`,
  });
};

const existing = (guest: GuestContext, { email, totpSince }: User): Html => {
  const shown = guest.formState("sign-in");
  const code = codeField(
    shown,
    "You have a second factor: the code of your authenticator app, or a recovery code.",
  );
  const signsIn = buttonRow(button({ label: "Sign in", emphasis: "primary" }));
  const hasFactor = totpSince !== null;
  return html`<div class="stack"><p>This link signs you in as ${email}. It works once. Do not use it if it was not made for you.</p>
${formOf("sign-in", { state: shown, body: html`${hasFactor ? code : null}${signsIn}` })}
${hasFactor ? html`<p class="hint">Telephone and recovery codes lost? An owner of your account or an administrator can reset your second factor: in the console under “Users”, on your page. The operator of the server can do it with “mailroll user totp remove”.</p>` : null}</div>`;
};

/** Throws if the link or the code is wrong. The link works on until the code was right. */
function checkedLink(result: LoggedIn | null): Actor {
  if (result === null) throw unusable();
  if (result.kind === "user") return result.actor;
  const problem =
    result.kind === "failed"
      ? "This is not the current code, or it was used before. Wait for the next one, or use a recovery code."
      : "Type the code of your authenticator app, or a recovery code.";
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
        found === "first"
          ? ["Create the first administrator", newcomer(guest)]
          : ["Sign in with a link", existing(guest, found)];
      return content(title, html`<h1>${title}</h1>${plainWarning(guest)}${body}`);
    },
    forms: {
      "sign-in": async (guest) => {
        const { form, client, program, base } = guest;
        const code = form.has("code") ? form.text("code") : null;
        const actor = checkedLink(await useLink(secretOf(guest), code, client));
        const { secret } = await guest.performAs(actor, signIn, { program });
        return { ...redirect(base), session: secret };
      },
      create: async (guest) => {
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
        return {
          ...redirect(base, "Welcome! You are now the administrator of this installation."),
          session: created.secret,
        };
      },
    },
  });

export const signOutPage = guestPage({
  path: "/sign-out",
  show: async (guest) => {
    if (guest.user === null) return redirect(`${guest.base}${SIGN_IN_PATH}`);
    return content(
      "Sign out",
      html`<h1>Sign out</h1>${formOf(ONLY_FORM, {
        state: guest.formState(ONLY_FORM),
        body: html`<p>This ends your session in this browser. Sessions in other browsers continue.</p>${buttonRow(button({ label: "Sign out", emphasis: "primary" }))}`,
      })}`,
    );
  },
  forms: {
    [ONLY_FORM]: async ({ user, session, base, client, performAs }) => {
      if (user !== null && session !== null) {
        const actor = userActor(user, sessionProof(session), "administrator", client);
        await performAs(actor, endMySession, { session: session.id });
      }
      return { ...redirect(`${base}${SIGN_IN_PATH}?signed-out`), session: null };
    },
  },
});
