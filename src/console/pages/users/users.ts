/** `…/settings/users` of an account, and `/console/installation/users`: who works with it, in which role. */

import { sentence } from "#admin/error-texts.ts";
import { AlreadyExists } from "#admin/kit/errors.ts";
import { inviteUser, linkUser } from "#admin/users/sign-in.ts";
import {
  createUser,
  findUserByAddress,
  hasEndedInvitation,
  INVITATION_ENDED,
  listUsers,
  setAdministrator,
  setUserRole,
  showUser,
} from "#admin/users/users.ts";
import type { User, UserId } from "#domain/access/user.ts";
import { type AccountRole, accountRoles, type Role, roles } from "#domain/access/user.ts";
import { userWithin, versionOf } from "#domain/version.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { secret } from "#html/components/code.ts";
import { radioGroup, selectField, textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { consoleLink } from "../../console-path.ts";
import { formOf, formPage } from "../../kit/form-html.ts";
import { pagedTable } from "../../kit/listing.ts";
import {
  type Answer,
  type AnyPage,
  type Content,
  type Forms,
  page,
  redirect,
  titled,
} from "../../kit/page.ts";
import { type AnyPageContext, settingsContent, settingsLink } from "../settings/settings-header.ts";

export const role = "Role";
export const roleNames: Readonly<Record<Role, string>> = {
  viewer: "Viewer",
  editor: "Editor",
  owner: "Owner",
  administrator: "Administrator",
};
const roleHints: Readonly<Record<Role, string>> = {
  viewer: "Can see everything except users and the audit log, and change nothing.",
  editor:
    "Can also change subscribers and lists, import files, write and test campaigns, and replay or dismiss refused calls.",
  owner: "Can also send campaigns, manage senders, keys, fields and users, and see the audit log.",
  administrator: "Can do everything, in every account and in the installation.",
};
export const usersTexts = {
  title: "Users",
};

const ROLE_DESCRIPTION = "It takes effect with the next request of the user.";

// A link with which a user signs in. It is shown once.

/** Makes the link, for the reply to a form. */
export async function shownLink(
  context: AnyPageContext,
  { id, email, totpSince }: Pick<User, "id" | "email" | "totpSince">,
): Promise<Content> {
  const { perform, formats, serviceAddress } = context;
  const created = await perform(linkUser, { account: context.account?.id ?? null, id });
  const address = consoleLink(serviceAddress, created.secret);
  const back = settingsLink(context, `/users/${id}`);
  return titled(
    { title: "Sign-in link", parent: { label: email, href: back } },
    html`${secret(`Link for ${email}`, address, `It works once, until ${formats.dateTime(created.expiresAt)}. Anyone who opens it is signed in as this user, so send it only to them. It is not stored and never shown again.`)}
${totpSince === null ? null : html`<p>The user has a second factor, so the link also asks for a code. If phone and recovery codes are lost, reset the second factor on the page of the user.</p>`}
${buttonRow(buttonLink({ label: "Done", href: back, emphasis: "primary" }))}`,
  );
}

/** Makes the invitation, for the reply to a form. */
export async function shownInvitation(context: AnyPageContext, { id, email }: User): Promise<Content> {
  const { perform, formats, serviceAddress } = context;
  const created = await perform(inviteUser, { account: context.account?.id ?? null, id });
  const address = consoleLink(serviceAddress, created.secret);
  const back = settingsLink(context, `/users/${id}`);
  return titled(
    { title: "Invitation", parent: { label: email, href: back } },
    html`${secret(`Invitation for ${email}`, address, `It works once, until ${formats.dateTime(created.expiresAt)}. Whoever opens it sets the password of this user, so send it only to them. It is not stored and never shown again.`)}
${buttonRow(buttonLink({ label: "Done", href: back, emphasis: "primary" }))}`,
  );
}

const PAGE = 50;

export function stateBadge({ disabledAt, passwordSetAt, invitationExpiresAt }: User, now: number): Html {
  if (disabledAt !== null) return badge("Disabled", "bad");
  if (passwordSetAt !== null) return badge("Active", "good");
  return invitationExpiresAt !== null && now < invitationExpiresAt
    ? badge("Invited", "info")
    : badge("No password yet", "warning");
}

export const accountName = ({ accounts }: Pick<AnyPageContext, "accounts">, account: number): string =>
  accounts.find(({ id }) => id === account)?.name ?? `account ${account}`;

/** In an account the role there; in the installation all roles. */
export function rolesText(context: Pick<AnyPageContext, "account" | "accounts">, user: User): string {
  if (user.isAdministrator) return roleNames.administrator;
  const here = user.roles.filter(({ account }) => context.account === null || account === context.account.id);
  if (here.length === 0) return "No role";
  return here
    .map(({ role, account }) =>
      context.account === null
        ? `${roleNames[role]} of ${isolated(accountName(context, account))}`
        : roleNames[role],
    )
    .join(", ");
}

const roleOptions = (offered: readonly Role[]) =>
  roles
    .filter((role) => offered.includes(role))
    .map((value) => ({ value, label: roleNames[value], hint: roleHints[value] }));

async function show(context: AnyPageContext): Promise<Content> {
  const { list, formats, path, now, user: self } = context;
  const found = await list(listUsers, { limit: PAGE });
  const invite = buttonLink({
    label: "Add a user",
    href: settingsLink(context, "/users/new"),
    emphasis: "primary",
    icon: "plus",
  });
  const body = pagedTable({ path }, found, {
    caption: usersTexts.title,
    href: ({ id }) => settingsLink(context, `/users/${id}`),
    columns: [
      { label: "E-mail address", cell: ({ email }) => email },
      {
        label: "Name",
        cell: ({ id, name }) => (id === self.id ? html`${name} ${badge("You", "info")}` : name),
      },
      { label: role, cell: (user) => rolesText(context, user) },
      {
        label: "Second factor",
        cell: ({ totpSince }) => (totpSince === null ? "Off" : "On"),
        isMinor: true,
      },
      { label: "State", cell: (user) => stateBadge(user, now) },
    ],
    text: (count) => `${formats.number(count)} shown`,
    empty: {
      title: "Nobody has a role in this account yet",
      text: "Only administrators see the account. Add the people who work with it, each under their own name.",
      icon: "user",
      actions: [invite],
    },
  });
  return settingsContent(context, "/users", usersTexts.title, body, found.rows.length === 0 ? [] : [invite]);
}

export const usersPages = [
  page({ path: "/{account}/settings/users", role: "owner", show }),
  page({ path: "/installation/users", role: "administrator", show }),
];

/** What a user may do: the role in the account, or in the installation the roles and administration. */
export type OneUserContext = AnyPageContext & { readonly params: { readonly user: UserId } };
export type UserForms = Forms<OneUserContext>;

/** As the form edits it: in an account, roles in others do not count. */
export const userVersion = ({ account }: AnyPageContext, user: User): string =>
  versionOf("user", userWithin(user, account?.id ?? null));

const choices = [
  ...roleOptions(accountRoles),
  { value: "", label: "None: remove the user from this account" },
];
const readRole = (text: string): AccountRole | null => accountRoles.find((role) => role === text) ?? null;

export function rolePart(context: OneUserContext, user: User): Html {
  if (context.account === null) return installationRoles(context, user);
  const form = context.formState("role");
  const held = user.roles.find(({ account }) => account === context.account?.id)?.role ?? "";
  return section(
    "Role",
    formOf("role", {
      state: form,
      version: userVersion(context, user),
      body: html`${radioGroup({
        ...form.field("role", held),
        label: role,
        options: choices,
      })}${buttonRow(button({ label: "Save" }))}`,
    }),
    { description: ROLE_DESCRIPTION },
  );
}

function installationRoles(context: OneUserContext, user: User): Html {
  const [form, toggle] = [context.formState("role"), context.formState("administrator")];
  const [first] = context.accounts;
  return html`${section(
    "Administrator",
    formOf("administrator", {
      state: toggle,
      version: userVersion(context, user),
      body: buttonRow(
        button({
          label: user.isAdministrator ? "Take this away" : "Make the user an administrator",
          ...(user.isAdministrator ? { emphasis: "danger" as const } : {}),
          name: "isAdministrator",
          value: user.isAdministrator ? "no" : "yes",
        }),
      ),
    }),
    {
      description: user.isAdministrator
        ? "The user may do everything: in every account, with every user, and in the installation."
        : "An administrator may do everything: in every account, with every user, and in the installation.",
    },
  )}${
    first === undefined
      ? null
      : section(
          "Role in an account",
          formOf("role", {
            state: form,
            look: "inline-form",
            body: html`${selectField({
              ...form.field("account", String(first.id)),
              label: "Account",
              options: context.accounts.map(({ id, name }) => ({ value: String(id), label: name })),
            })}${selectField({
              ...form.field("role", "viewer"),
              label: role,
              options: [...roleOptions(accountRoles), { value: "", label: "none" }],
              isOptional: true,
            })}${button({ label: "Save" })}`,
          }),
          { description: ROLE_DESCRIPTION },
        )
  }`;
}

const withEnded = (done: string, before: User, after: User, now: number): string =>
  hasEndedInvitation(before, after, now) ? `${done} ${sentence(INVITATION_ENDED)}` : done;

export const roleForms: UserForms = {
  role: async (context) => {
    const { perform, account, params, form, path, now } = context;
    const id = account?.id ?? Number(form.text("account"));
    const role = readRole(form.text("role"));
    const to = { account: Number.isSafeInteger(id) ? id : 0, id: params.user, role };
    const before = await perform(showUser, { account: account?.id ?? null, id: params.user });
    const after = await perform(setUserRole, to);
    // Without a role in the account, the user has no page there.
    const isGone = account !== null && role === null;
    return redirect(
      isGone ? settingsLink(context, "/users") : path,
      withEnded("The role is changed.", before, after, now),
    );
  },
  administrator: async ({ perform, params, form, path, now }) => {
    const isAdministrator = form.text("isAdministrator") === "yes";
    const before = await perform(showUser, { account: null, id: params.user });
    const after = await perform(setAdministrator, { id: params.user, isAdministrator });
    return redirect(path, withEnded("The change is saved.", before, after, now));
  },
};

const roleIn = (context: AnyPageContext): AccountRole | null =>
  context.account === null
    ? null
    : (accountRoles.find((role) => role === context.form.text("role")) ?? "viewer");

async function createUserFromForm(context: AnyPageContext): Promise<Answer> {
  const { performHere, form, account, may, now } = context;
  const [email, role] = [form.text("email"), roleIn(context)];
  try {
    const created = await performHere(createUser, { ...{ role }, ...{ email, name: form.text("name") } });
    if (account === null)
      return redirect(settingsLink(context, `/users/${created.id}`), `${created.email} is added.`);
    return await shownInvitation(context, created);
  } catch (error) {
    // Only an administrator gives an existing user a role in a further account.
    if (!(error instanceof AlreadyExists) || account === null || role === null || !may("administrator"))
      throw error;
    const known = await performHere(findUserByAddress, { email });
    // A user of the account keeps the role: this page only adds people.
    if (known.roles.some((held) => held.account === account.id)) throw error;
    const after = await performHere(setUserRole, { id: known.id, role });
    return redirect(
      settingsLink(context, `/users/${known.id}`),
      withEnded(`${known.email} was a user already, and now has a role in this account.`, known, after, now),
    );
  }
}

/** `…/users/new`: adds a user, and shows the invitation. */
const newUserPage = <const Path extends string>(path: Path, needed: Role): AnyPage =>
  formPage<string>({
    path,
    role: needed,
    form: "create",
    show: async (context: AnyPageContext, form) => {
      return {
        title: "Add a user",
        parent: { label: usersTexts.title, href: settingsLink(context, "/users") },
        description:
          context.account === null
            ? "The user has no role at first. Give one on the next page, or make the user an administrator."
            : "You get an invitation for the new user: a link with which they set a password. Send it over a safe channel.",
        fields: html`${textField({ ...form.field("email"), label: "E-mail address", type: "email" })}${textField(
          {
            ...form.field("name"),
            label: "Name",
            hint: "Shown to colleagues beside the changes of this user.",
            isOptional: true,
          },
        )}${
          context.account === null
            ? null
            : radioGroup({
                ...form.field("role", "viewer"),
                label: role,
                options: roleOptions(accountRoles),
              })
        }`,
        save: "Add",
      };
    },
    submit: createUserFromForm,
  });

export const newUserPages = [
  newUserPage("/{account}/settings/users/new", "owner"),
  newUserPage("/installation/users/new", "administrator"),
];
