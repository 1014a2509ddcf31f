/**
 * Signing in with a password or a link, accepting an invitation, creating the first administrator, and
 * signing out.
 */

import { MIN_PASSWORD_LENGTH } from "#admin/users/credentials.ts";
import { endMySession } from "#admin/users/sessions.ts";
import { acceptInvitation, createFirstAdministrator, signIn } from "#admin/users/sign-in.ts";
import { sessionProof, userActor } from "#auth/users/actor.ts";
import type { GivenPassword, LoggedIn } from "#auth/users/log-in.ts";
import { findLink } from "#auth/users/sign-in-links.ts";
import type { Actor } from "#domain/access/actor.ts";
import { SIGN_IN_MS } from "#domain/access/session.ts";
import type { User, UserId } from "#domain/access/user.ts";
import { InvalidCursor } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { themes } from "#html/served-assets.ts";
import { asTyped } from "#shipped.ts";
import { Cursors } from "#web/cursors.ts";
import { FormRefused, PageFailure } from "../kit/errors.ts";
import { type Form, type FormState, ONLY_FORM } from "../kit/form.ts";
import { formOf } from "../kit/form-html.ts";
import type { ConsoleOptions } from "../kit/options.ts";
import { content, type GuestContext, guestPage, type Redirect, redirect } from "../kit/page.ts";
import { ownPath } from "../kit/serve/cookies.ts";
import { THEME_PATH } from "../kit/serve/render.ts";
import { NOT_SAVED, SIGN_IN_PATH } from "../kit/serve/serve-pages.ts";

/** The field for a code of the second factor, or a recovery code. */
const codeField = (shown: FormState, hint: string): Html =>
  textField({
    name: "code",
    label: code,
    hint,
    error: shown.problem("code"),
    autocomplete: "one-time-code",
    width: "medium",
    // Where it is asked for, the page has no other field.
    hasFocus: true,
  });

const code = "Code";

/** A script fills it in. */
const zoneField = html`<input type="hidden" name="timeZone" data-time-zone>`;
const zoneOf = (form: Form): string | null => form.text("timeZone") || null;

// `/console/sign-in`: e-mail address and password; then, where set, a code.

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
  if (query.has(TOO_LATE))
    return notice("warning", "The sign-in took too long.", "Enter your password again, and then the code.");
  if (query.has(PASSWORD_SET))
    return notice(
      "good",
      "Your password is set.",
      "Sign in with it, and with the code of your second factor.",
    );
  return query.has("signed-out") ? notice("good", "You are signed out.") : null;
}

const CODE_PATH = `${SIGN_IN_PATH}/code`;
/** In the query of the sign-in: why it has to begin again. */
const TOO_LATE = "too-late";

/**
 * What is known of the password until the code is given, in a cookie that nobody but the server can read or
 * make. Its length is the same for a right password and a wrong one.
 */
class PendingSignIns {
  static readonly #scope = { listing: "sign-in that needs a code", account: null };
  readonly #cursors: Cursors;
  constructor(store: Store) {
    this.#cursors = new Cursors(store.secrets);
  }

  keep({ user, isRight, setAt }: GivenPassword, now: number): Promise<string> {
    const text = JSON.stringify([now + SIGN_IN_MS, user, isRight ? 1 : 0, setAt]);
    return this.#cursors.encrypt(PendingSignIns.#scope, text);
  }

  /** null: there is none, or it is too old. */
  async given({ signIn, now }: GuestContext): Promise<GivenPassword | null> {
    if (signIn === null) return null;
    try {
      const kept = JSON.parse(await this.#cursors.decrypt(PendingSignIns.#scope, signIn));
      const [until, user, isRight, setAt] = kept as [number, UserId, number, number | null];
      return now < until ? { user, isRight: isRight === 1, setAt } : null;
    } catch (error) {
      if (error instanceof InvalidCursor) return null;
      throw error;
    }
  }
}

export const signInPage = ({ givePassword, store }: Pick<ConsoleOptions, "givePassword" | "store">) => {
  const pending = new PendingSignIns(store);
  return guestPage({
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
      })}${zoneField}${buttonRow(button({ label: "Sign in", emphasis: "primary" }))}`;
      return content(
        "Sign in",
        html`<h1>Sign in</h1>
${shown.isRefused ? null : reasonOf(guest)}
${hasAdministrator ? null : notice("info", "Nobody can sign in yet", asTyped("The operator of the server runs “mailroll console link”, and opens the link that it prints to create the first administrator."))}
${plainWarning(guest)}
${formOf(ONLY_FORM, { state: shown, body: fields })}`,
      );
    },
    forms: {
      [ONLY_FORM]: async (guest) => {
        const { form, client, program, now, base, query } = guest;
        const given = { email: form.text("email").trim(), password: form.text("password") };
        const result = await givePassword(given, client);
        if (result.kind === "failed")
          throw new FormRefused({ message: "The e-mail address or the password is wrong." });
        if (result.kind === "code needed") {
          const next = query.get("next");
          const more = next === null ? "" : `?next=${encodeURIComponent(next)}`;
          return {
            ...redirect(`${base}${CODE_PATH}${more}`),
            signIn: await pending.keep(result.given, now),
          };
        }
        const { secret } = await guest.performAs(result.actor, signIn, { program, timeZone: zoneOf(form) });
        return { ...redirect(nextPage(guest)), session: secret };
      },
    },
  });
};

/** `/console/sign-in/code`: the second step, also after a wrong password: it must not tell. */
export const codePage = ({ giveCode, store }: Pick<ConsoleOptions, "giveCode" | "store">) => {
  const pending = new PendingSignIns(store);
  const again = ({ base }: GuestContext, why = ""): Redirect => ({
    ...redirect(`${base}${SIGN_IN_PATH}${why}`),
    signIn: null,
  });
  return guestPage({
    path: CODE_PATH,
    show: async (guest) => {
      if (guest.user !== null) return redirect(nextPage(guest));
      if ((await pending.given(guest)) === null)
        return again(guest, guest.signIn === null ? "" : `?${TOO_LATE}`);
      const shown = guest.formState(ONLY_FORM);
      const field = codeField(shown, "From your authenticator app, or a recovery code.");
      return content(
        "Enter your code",
        html`<h1>Enter your code</h1>
${formOf(ONLY_FORM, { state: shown, body: html`${field}${zoneField}${buttonRow(button({ label: "Sign in", emphasis: "primary" }))}` })}
<p class="hint"><a href="${guest.base}${SIGN_IN_PATH}">Start again</a> if the password may have been wrong. An owner of your account or an administrator can reset a lost second factor.</p>`,
      );
    },
    forms: {
      [ONLY_FORM]: async (guest) => {
        const given = await pending.given(guest);
        if (given === null) return again(guest, `?${TOO_LATE}`);
        const result = await giveCode(given, guest.form.text("code"), guest.client);
        if (result.kind !== "user")
          throw new FormRefused({
            message:
              "The password or the code is wrong, or the code was used before. After ten wrong codes, every code is refused for a quarter of an hour.",
          });
        const { secret } = await guest.performAs(result.actor, signIn, {
          ...{ program: guest.program, timeZone: zoneOf(guest.form) },
        });
        return { ...redirect(nextPage(guest)), session: secret, signIn: null };
      },
    },
  });
};

const linkTexts = {
  unusable:
    "It was already used or withdrawn, is incomplete, or is too old: a sign-in link works for 15 minutes, an invitation for seven days. " +
    "Ask whoever sent it for a new one. The operator of the server runs “mailroll console link”, with your e-mail address if you already are a user.",
};

/** In the query of the sign-in, after an invitation. */
const PASSWORD_SET = "password-set";

/**
 * `/console/link`: signs a user in, lets an invited user set a password, or creates the first administrator,
 * with a link that works once. Opening
 * the address uses nothing up, because mail programs and virus scanners open links, too.
 */
const secretOf = ({ query }: GuestContext): string => query.get("token") ?? "";
const unusable = (): PageFailure =>
  new PageFailure(404, "This link does not work any more", asTyped(linkTexts.unusable));

const newPassword = (shown: FormState): Html =>
  textField({
    ...shown.field("password"),
    label: "Password",
    type: "password",
    autocomplete: "new-password",
    hint: `At least ${MIN_PASSWORD_LENGTH} characters. A sentence is easy to remember and hard to guess.`,
  });

const invited = (guest: GuestContext, { email }: User): Html => {
  const shown = guest.formState("accept");
  return html`<div class="stack"><p>You are invited to work with Mailroll as ${email}. Do not go on if this is not your address.</p>
${formOf("accept", { state: shown, body: html`${newPassword(shown)}${zoneField}${buttonRow(button({ label: "Set the password and sign in", emphasis: "primary" }))}` })}</div>`;
};

const newcomer = (guest: GuestContext): Html => {
  const shown = guest.formState("create");
  const field = (name: string, label: string) => ({ ...shown.field(name), label });
  return formOf("create", {
    state: shown,
    body: html`${textField({ ...field("email", "E-mail address"), type: "email", autocomplete: "username" })}
${textField({ ...field("name", "Name"), autocomplete: "name", isOptional: true })}
${newPassword(shown)}
${zoneField}${buttonRow(button({ label: "Create and sign in", emphasis: "primary" }))}`,
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
${formOf("sign-in", { state: shown, body: html`${hasFactor ? code : null}${zoneField}${signsIn}` })}
${hasFactor ? html`<p class="hint">Telephone and recovery codes lost? An owner of your account or an administrator can reset your second factor: in the console under “Users”, on your page. The operator of the server can do it with “${asTyped("mailroll user totp remove")}”.</p>` : null}</div>`;
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
      const found = await findLink(store.forOperators, secretOf(guest), guest.now);
      if (found === null) throw unusable();
      const [title, body] =
        found.kind === "first"
          ? ["Create the first administrator", newcomer(guest)]
          : found.kind === "invitation"
            ? ["Set your password", invited(guest, found.user)]
            : ["Sign in with a link", existing(guest, found.user)];
      return content(title, html`<h1>${title}</h1>${plainWarning(guest)}${body}`);
    },
    forms: {
      "sign-in": async (guest) => {
        const { form, client, program, base } = guest;
        const code = form.has("code") ? form.text("code") : null;
        const actor = checkedLink(await useLink(secretOf(guest), code, client));
        const { secret } = await guest.performAs(actor, signIn, { program, timeZone: zoneOf(form) });
        return { ...redirect(base), session: secret };
      },
      accept: async (guest) => {
        const { form, now, client, program, base } = guest;
        const secret = secretOf(guest);
        const found = await findLink(store, secret, now);
        if (found?.kind !== "invitation") throw unusable();
        const holder = userActor(found.user, { kind: "link" }, "administrator", client);
        const password = form.text("password");
        const user = await guest.performAs(holder, acceptInvitation, { secret, password });
        if (user.totpSince !== null) return redirect(`${base}${SIGN_IN_PATH}?${PASSWORD_SET}`);
        const actor = userActor(user, { kind: "password" }, "administrator", client);
        const created = await guest.performAs(actor, signIn, { program, timeZone: zoneOf(form) });
        return { ...redirect(base, "Welcome! Your password is set."), session: created.secret };
      },
      create: async (guest) => {
        const { form, now, client, program, base } = guest;
        const secret = secretOf(guest);
        if ((await findLink(store, secret, now))?.kind !== "first") throw unusable();
        const user = await guest.performAs(holder(client), createFirstAdministrator, {
          secret,
          email: form.text("email"),
          name: form.text("name"),
          password: form.text("password"),
        });
        // The password was typed just now.
        const actor = userActor(user, { kind: "password" }, "administrator", client);
        const created = await guest.performAs(actor, signIn, { program, timeZone: zoneOf(form) });
        return {
          ...redirect(base, "Welcome! You are now the administrator of this installation."),
          session: created.secret,
        };
      },
    },
  });

/** `/console/theme`: light or dark in this browser, for the switch in the menu; without a script. */
export const themePage = guestPage({
  path: THEME_PATH,
  show: async ({ base }) => redirect(base),
  forms: {
    [ONLY_FORM]: async ({ form, base }) => ({
      ...redirect(ownPath(form.text("back"), base) ?? base),
      theme: themes.find((theme) => theme === form.text("theme")) ?? "auto",
    }),
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
