/** `…/users/{user}`: one user as owners and administrators see them, and what they can do about them. */

import { Forbidden } from "#admin/kit/errors.ts";
import { removeUserTotp } from "#admin/users/credentials.ts";
import { endUserSession, listUserSessions } from "#admin/users/sessions.ts";
import { withdrawInvitation } from "#admin/users/sign-in.ts";
import { listUserTokens, revokeUserToken } from "#admin/users/tokens.ts";
import { disableUser, enableUser, showUser } from "#admin/users/users.ts";
import { isUsableToken } from "#domain/access/session.ts";
import type { User } from "#domain/access/user.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { confirmation, notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { card, section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { doing } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import { DEFAULT_TIME_ZONE } from "../../kit/formats.ts";
import { type Content, page, redirect, titled } from "../../kit/page.ts";
import { settingsLink } from "../settings/settings-header.ts";
import {
  type OneUserContext,
  role,
  roleForms,
  roleNames,
  rolePart,
  rolesText,
  shownInvitation,
  shownLink,
  stateBadge,
  type UserForms,
  usersTexts,
  userVersion,
} from "./users.ts";

/** Where a user is signed in, and with what programs act as the user. */
const rowButton = (form: string, label: string, name: string, id: number): Html =>
  html`<form method="post">${doing(form)}${button({ label, emphasis: "quiet", name, value: String(id) })}</form>`;

async function sessionsPart(context: OneUserContext, { id }: User): Promise<Html> {
  const { performHere, formats, now } = context;
  const rows = await performHere(listUserSessions, { id });
  const body =
    rows.length === 0
      ? html`<p>The user is not signed in anywhere.</p>`
      : table({
          caption: "Sessions",
          rows,
          columns: [
            { label: "Browser", cell: ({ program }) => program },
            { label: "Signed in from", cell: ({ client }) => client },
            { label: "Since", cell: ({ createdAt }) => formats.time(createdAt), isMinor: true },
            { label: "Last used", cell: ({ lastUsedAt }) => formats.ago(lastUsedAt, now) },
          ],
          actions: (session) => rowButton("end-session", "End", "session", session.id),
        });
  return section("Sessions", body, { description: "Browsers in which the user is signed in." });
}

async function tokensPart(context: OneUserContext, user: User): Promise<Html> {
  const { performHere, formats, now } = context;
  const all = await performHere(listUserTokens, { id: user.id });
  // Of a disabled user, the tokens that would work again.
  const rows = all.filter(
    (token) => !token.isLogIn && isUsableToken(token, { ...user, disabledAt: null }, now),
  );
  const body =
    rows.length === 0
      ? html`<p>The user has no token.</p>`
      : table({
          caption: "Tokens",
          rows,
          columns: [
            { label: "Token", cell: ({ name }) => name },
            { label: "At most as", cell: ({ role }) => roleNames[role] },
            {
              label: "Expires",
              cell: ({ expiresAt }) => (expiresAt === null ? "never" : formats.time(expiresAt)),
            },
            {
              label: "Last used",
              cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : formats.ago(lastUsedAt, now)),
            },
          ],
          actions: (token) => rowButton("revoke-token", "Revoke", "token", token.id),
        });
  return section("Tokens", body, { description: "With a token, a program acts as the user over the API." });
}

const idIn = (text: string): number => (Number.isSafeInteger(Number(text)) ? Number(text) : 0);

const accessForms: UserForms = {
  "end-session": async (context) => {
    const { performHere, params, form, path } = context;
    const one = { id: params.user };
    await performHere(endUserSession, { ...one, session: idIn(form.text("session")) });
    return redirect(path, "The session has ended.");
  },
  "revoke-token": async (context) => {
    const { performHere, params, form, path } = context;
    const one = { id: params.user };
    await performHere(revokeUserToken, { ...one, token: idIn(form.text("token")) });
    return redirect(path, "The token is revoked.");
  },
};

const oneOf = (context: OneUserContext) => ({
  id: context.params.user,
});

/** Whether the actor may change what concerns the user everywhere: the layer decides. */
async function isManaged(context: OneUserContext): Promise<boolean> {
  try {
    await context.performHere(listUserTokens, oneOf(context));
    return true;
  } catch (error) {
    if (error instanceof Forbidden) return false;
    throw error;
  }
}

function facts(context: OneUserContext, user: User): Html {
  const { formats } = context;
  return card(
    definitions([
      ["E-mail address", user.email],
      ["Name", user.name],
      [role, rolesText(context, user)],
      [
        "Password",
        user.passwordSetAt === null
          ? "none: the user sets one with an invitation"
          : `set on ${formats.date(user.passwordSetAt)}`,
      ],
      ["Second factor", user.totpSince === null ? "off" : `on since ${formats.date(user.totpSince)}`],
      ["Time zone", user.timeZone ?? DEFAULT_TIME_ZONE],
      ["Added", formats.date(user.createdAt)],
    ]),
  );
}

function oneButton(context: OneUserContext, form: string, label: string): Html {
  return formOf(form, { state: context.formState(form), body: buttonRow(button({ label })) });
}

function disablePart(context: OneUserContext, user: User): Html {
  const version = userVersion(context, user);
  if (user.disabledAt !== null)
    return section(
      "Enable the user",
      formOf("enable", {
        state: context.formState("enable"),
        version,
        body: buttonRow(button({ label: "Enable" })),
      }),
      {
        description:
          "The user can sign in again. Tokens that were not revoked and have not expired work again.",
      },
    );
  return html`<section class="part">${confirmation({
    title: "Disable the user",
    affected: null,
    consequences: [
      "The user is signed out everywhere, and cannot sign in any more.",
      "Programs with the user’s tokens are refused from their next call on. API keys are not touched.",
      "History and audit log keep the name. The user can be enabled again.",
    ],
    isDangerous: true,
    body: formOf("disable", {
      state: context.formState("disable"),
      version,
      body: buttonRow(button({ label: "Disable", emphasis: "danger" })),
    }),
  })}</section>`;
}

function invitationPart(context: OneUserContext, { invitationExpiresAt }: User): Html {
  const { formats, now } = context;
  const isOpen = invitationExpiresAt !== null && now < invitationExpiresAt;
  const since = isOpen
    ? `The invitation works until ${formats.dateTime(invitationExpiresAt)}. A new one replaces it.`
    : `${invitationExpiresAt === null ? "No invitation is open." : `The invitation has expired on ${formats.dateTime(invitationExpiresAt)}.`} The user has no password yet.`;
  const body = html`<div class="stack">${formOf("invite", {
    state: context.formState("invite"),
    body: buttonRow(button({ label: isOpen ? "Make a new invitation" : "Invite" })),
  })}${isOpen ? oneButton(context, "withdraw", "Withdraw the invitation") : null}</div>`;
  return section("Invitation", body, {
    description: `${since} It is a link with which the user sets a password, once, within seven days. It ends when the user becomes an administrator or gets a role in a further account: invite the user again then.`,
  });
}

async function management(context: OneUserContext, user: User): Promise<Html> {
  if (user.id === context.user.id)
    return notice(
      "info",
      "This is you",
      html`Your own password, second factor, sessions and tokens are on the page of your account. <a href="${context.base}/me">Your account</a>`,
    );
  if (!(await isManaged(context)))
    return html`${notice("info", "Only an administrator manages this user", "The user is an administrator, or also has a role in another account. You decide about the role in this account.")}${rolePart(context, user)}`;
  return html`${rolePart(context, user)}
${user.disabledAt === null && user.passwordSetAt === null ? invitationPart(context, user) : null}
${
  user.disabledAt === null && user.passwordSetAt !== null
    ? section("Sign-in link", oneButton(context, "link", "Make a sign-in link"), {
        description:
          "Signs the user in once, within 15 minutes. For a user who has forgotten the password. A second factor stays: the link asks for its code.",
      })
    : null
}
${
  user.totpSince === null
    ? null
    : section("Second factor", oneButton(context, "reset-factor", "Reset the second factor"), {
        description:
          "For a user who has lost the phone and the recovery codes. Verify who is asking: from then on, the password alone or a sign-in link is enough to sign in.",
      })
}
${await sessionsPart(context, user)}
${await tokensPart(context, user)}
${disablePart(context, user)}`;
}

async function show(context: OneUserContext): Promise<Content> {
  const user = await context.performHere(showUser, oneOf(context));
  return titled(
    {
      title: user.name === "" ? user.email : user.name,
      parent: { label: usersTexts.title, href: settingsLink(context, "/users") },
      aside: stateBadge(user, context.now),
    },
    html`<div class="stack">${facts(context, user)}
${await management(context, user)}</div>`,
  );
}

const forms: UserForms = {
  ...roleForms,
  ...accessForms,
  invite: async (context) => shownInvitation(context, await context.performHere(showUser, oneOf(context))),
  withdraw: async (context) => {
    await context.performHere(withdrawInvitation, oneOf(context));
    return redirect(context.path, "The invitation is withdrawn: its link does not work any more.");
  },
  link: async (context) => shownLink(context, await context.performHere(showUser, oneOf(context))),
  "reset-factor": async (context) => {
    await context.performHere(removeUserTotp, oneOf(context));
    return redirect(context.path, "The second factor is removed. The user can set up a new one.");
  },
  disable: async (context) => {
    await context.performHere(disableUser, oneOf(context));
    return redirect(context.path, "The user is disabled.");
  },
  enable: async (context) => {
    await context.performHere(enableUser, oneOf(context));
    return redirect(context.path, "The user is enabled.");
  },
};

export const userPages = [
  page({ path: "/{account}/settings/users/{user}", role: "owner", show, forms }),
  page({ path: "/installation/users/{user}", role: "administrator", show, forms }),
];
