/** `/console/me`: what users do about themselves. */
import { encode } from "uqr";
import { MIN_PASSWORD_LENGTH } from "#admin/users/credentials.ts";
import { changePassword, confirmMyTotp, enrolMyTotp, removeMyTotp } from "#admin/users/me.ts";
import { endMySession, listMySessions, setMe } from "#admin/users/sessions.ts";
import { mayResetPassword, PASSWORD_RESET_MS } from "#domain/access/session.ts";
import type { User } from "#domain/access/user.ts";
import { timeZones } from "#domain/calendar.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { codeBlock, secret } from "#html/components/code.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { doing, type FormState } from "../kit/form.ts";
import { formOf } from "../kit/form-html.ts";
import { DEFAULT_TIME_ZONE } from "../kit/formats.ts";
import { type Forms, type PageContext, page, redirect, titled } from "../kit/page.ts";
import { SIGN_IN_PATH } from "../kit/serve/serve-pages.ts";
import { tokenForms, tokensPart } from "./settings/tokens.ts";

// A QR code as SVG. It is dark on white in the dark mode, too: many cameras do not read inverted codes.

/** Empty modules around the code, without which cameras do not find it. */
const QUIET_ZONE = 4;

/** Each run of dark modules as a rectangle. */
const rowPath = (row: readonly boolean[], y: number): string =>
  [
    ...row
      .map((isDark) => (isDark ? "#" : "."))
      .join("")
      .matchAll(/#+/g),
  ]
    .map(({ index, 0: { length } }) => `M${index} ${y}h${length}v1h-${length}z`)
    .join("");

export function qrCode(label: string, text: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE });
  return html`<svg class="qr-code" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#000" d="${data.map(rowPath).join("")}"/></svg>`;
}

/** A code to scan, and what else can be done with what it contains. */
const besideCode = (code: Html, rest: Html): Html =>
  html`<div class="beside-code">${code}<div class="stack">${rest}</div></div>`;

const meTexts = {
  oldPassword: "Current password",
  enrolTitle: "Set up your second factor",
  recoveryTitle: "Your recovery codes",
};

/** Name and time zone. */
const zones = timeZones().map((value) => ({ value, label: value.replaceAll("_", " ") }));

function profilePart({ user, formState }: PageContext<"/me">): Html {
  const form = formState("profile");
  const body = html`${textField({
    ...form.field("name", user.name),
    label: "Name",
    hint: "Shown to colleagues beside your changes.",
    autocomplete: "name",
    isOptional: true,
  })}${selectField({
    ...form.field("timeZone", user.timeZone ?? DEFAULT_TIME_ZONE),
    label: "Time zone",
    hint: "The console shows times in this zone.",
    options:
      zones.some(({ value }) => value === user.timeZone) || user.timeZone === null
        ? zones
        : [{ value: user.timeZone, label: user.timeZone }, ...zones],
    width: "medium",
  })}${buttonRow(button({ label: "Save", emphasis: "primary" }))}`;
  return section("You", formOf("profile", { state: form, body }));
}

const profileForms: Forms<PageContext<"/me">> = {
  profile: async ({ perform, form, path }) => {
    await perform(setMe, { name: form.text("name"), timeZone: form.text("timeZone") });
    return redirect(path, "Your changes are saved.");
  },
};

/** The own password: changed with the current one, or without it soon after signing in with a link. */
function passwordPart({ user, session, formState, now, formats }: PageContext<"/me">): Html {
  const form = formState("password");
  const current = textField({
    name: "oldPassword",
    label: meTexts.oldPassword,
    type: "password",
    autocomplete: "current-password",
    error: form.problem("oldPassword"),
    width: "medium",
  });
  const linkAt = session.begunWith === "link" ? session.createdAt : null;
  const proof =
    user.passwordSetAt === null
      ? html`<p>You have no password yet: you were signed in with a link. Set one, to sign in without a link from now on.</p>`
      : linkAt !== null && mayResetPassword(linkAt, now)
        ? html`<p>You have signed in with a link. Until ${formats.dateTime(linkAt + PASSWORD_RESET_MS)}, you can set a new password without the current one.</p>`
        : current;
  const body = html`${proof}${textField({
    name: "newPassword",
    label: "New password",
    type: "password",
    autocomplete: "new-password",
    hint: `At least ${MIN_PASSWORD_LENGTH} characters.`,
    error: form.problem("newPassword"),
    width: "medium",
  })}${buttonRow(button({ label: "Change the password" }))}`;
  return section("Password", formOf("password", { state: form, body }), {
    description: "A new password ends your sessions in other browsers.",
  });
}

const passwordForms: Forms<PageContext<"/me">> = {
  password: {
    submit: async ({ perform, form, path }) => {
      await perform(changePassword, {
        oldPassword: form.text("oldPassword"),
        password: form.text("newPassword"),
      });
      return redirect(path, "Your password is changed. Your other sessions have ended.");
    },
    inputs: { password: "newPassword" },
  },
};

// The second factor: set up, confirmed with a code, removed. Secret and recovery codes are shown once.

/** A user who has no password yet has none to type. */
const passwordField = ({ passwordSetAt }: User, name: string, form: FormState): Html | null =>
  passwordSetAt === null
    ? null
    : textField({
        name,
        label: meTexts.oldPassword,
        type: "password",
        autocomplete: "current-password",
        error: form.problem(name),
        width: "medium",
      });

const confirmForm = (shown: PageContext["formState"], action?: string): Html => {
  const form = shown("confirm");
  return formOf("confirm", {
    state: form,
    ...(action === undefined ? {} : { action }),
    body: html`${textField({
      name: "code",
      label: "Code of the app",
      error: form.problem("code"),
      autocomplete: "one-time-code",
      inputMode: "numeric",
      width: "short",
    })}${buttonRow(button({ label: "Confirm", emphasis: "primary" }))}`,
  });
};

function factorPart({ user, formState, formats }: PageContext<"/me">): Html {
  const [enrol, remove] = [formState("enrol"), formState("remove")];
  const isOn = user.totpSince !== null;
  const explained = isOn
    ? `On since ${formats.dateTime(user.totpSince)}. Signing in needs a code.`
    : "An authenticator app on your phone shows a new code every 30 seconds. With a second factor, signing in needs such a code as well as the password.";
  const setUp = formOf("enrol", {
    state: enrol,
    body: html`${passwordField(user, "enrolPassword", enrol)}${buttonRow(button({ label: isOn ? "Set up another phone" : "Set up" }))}`,
  });
  const off = formOf("remove", {
    state: remove,
    body: html`${passwordField(user, "removePassword", remove)}${buttonRow(button({ label: "Remove", emphasis: "danger" }))}`,
  });
  return section(
    "Second factor",
    html`<p>${explained}</p>
${user.isTotpPending ? html`<p>A second factor is set up, but not confirmed yet. Type the code that the app shows.</p>${confirmForm(formState)}` : null}
${setUp}${isOn ? off : null}`,
  );
}

const factorForms: Forms<PageContext<"/me">> = {
  enrol: {
    submit: async ({ perform, form, formState, path }) => {
      const enrolment = await perform(enrolMyTotp, { password: form.text("enrolPassword") });
      return titled(
        { title: meTexts.enrolTitle, parent: { label: "Your account", href: path } },
        besideCode(
          qrCode("QR code for your authenticator app", enrolment.uri),
          html`<p>Scan the code with your authenticator app, or type the secret into it. If you are on the phone that has the app, open it from here. Then type the code that the app shows.</p>
${codeBlock("Secret", enrolment.secret)}
${buttonRow(buttonLink({ label: "Open in the authenticator app", href: enrolment.uri }))}
${confirmForm(formState, path)}`,
        ),
      );
    },
    inputs: { password: "enrolPassword" },
  },
  confirm: async ({ perform, form, path }) => {
    const { recoveryCodes } = await perform(confirmMyTotp, { code: form.text("code") });
    return titled(
      { title: meTexts.recoveryTitle },
      html`${secret(meTexts.recoveryTitle, recoveryCodes.join("\n"), "Keep them where you can find them without your phone. Each works once instead of a code of the app. They are not shown again.")}
${buttonRow(buttonLink({ label: "Done", href: path, emphasis: "primary" }))}`,
    );
  },
  remove: {
    submit: async ({ perform, form, path }) => {
      await perform(removeMyTotp, { password: form.text("removePassword") });
      return redirect(path, "Your second factor is removed.");
    },
    inputs: { password: "removePassword" },
  },
};

/** Sessions: in which browsers the user is signed in. */
async function sessionsPart({ perform, formats, now }: PageContext<"/me">): Promise<Html> {
  const rows = await perform(listMySessions, {});
  return section(
    "Sessions",
    table({
      caption: "Sessions",
      rows,
      columns: [
        {
          label: "Browser",
          cell: ({ program, isCurrent }) =>
            isCurrent ? html`${program} ${badge("This one", "good")}` : program,
        },
        { label: "Signed in from", cell: ({ client }) => client },
        { label: "Since", cell: ({ createdAt }) => formats.time(createdAt), isMinor: true },
        { label: "Last used", cell: ({ lastUsedAt }) => formats.ago(lastUsedAt, now) },
      ],
      actions: ({ id }) =>
        html`<form method="post">${doing("end-session")}${button({ label: "End", emphasis: "quiet", name: "session", value: String(id) })}</form>`,
    }),
    { description: "Browsers in which you are signed in." },
  );
}

const sessionForms: Forms<PageContext<"/me">> = {
  "end-session": async ({ perform, form, path, base, session }) => {
    const id = Number(form.text("session"));
    await perform(endMySession, { session: Number.isSafeInteger(id) ? id : 0 });
    if (id === session.id) return { ...redirect(`${base}${SIGN_IN_PATH}?signed-out`), session: null };
    return redirect(path, "The session has ended.");
  },
};

export const mePage = page({
  path: "/me",
  show: async (context) =>
    titled(
      { title: "Your account", description: context.user.email },
      html`${profilePart(context)}
${passwordPart(context)}
${factorPart(context)}
${await sessionsPart(context)}
${await tokensPart(context)}`,
    ),
  forms: { ...profileForms, ...passwordForms, ...factorForms, ...sessionForms, ...tokenForms },
});
