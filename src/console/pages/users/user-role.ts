/** What a user may do: the role in the account, or in the installation the roles and administration. */
import { setAdministrator, setUserRole } from "#admin/users/users.ts";
import { type AccountRole, accountRoles } from "#domain/access/role.ts";
import type { User, UserId } from "#domain/access/user.ts";
import { userWithin, versionOf } from "#domain/version.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { radioGroup, selectField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { type FormHandler, redirect } from "../../kit/page.ts";
import { type AnyVisit, placeOf } from "../settings/place.ts";
import * as texts from "./user.texts.ts";
import { role as roleLabel } from "./users.texts.ts";
import { roleOptions } from "./users.ts";

export type OneUserVisit = AnyVisit & { readonly params: { readonly user: UserId } };
export type UserForms = Readonly<Record<string, FormHandler<OneUserVisit>>>;

/** As the form edits it: in an account, roles in others do not count. */
export const userVersion = ({ account }: AnyVisit, user: User): string =>
  versionOf("user", userWithin(user, account?.id ?? null));

const choices = [...roleOptions(accountRoles), { value: "", label: texts.removeRole }];
const readRole = (text: string): AccountRole | null => accountRoles.find((role) => role === text) ?? null;

export function rolePart(visit: OneUserVisit, user: User): Html {
  if (visit.account === null) return installationRoles(visit, user);
  const form = visit.shown("role");
  const held = user.roles.find(({ account }) => account === visit.account?.id)?.role ?? "";
  return section(
    texts.roleTitle,
    formOf("role", {
      shown: form,
      version: userVersion(visit, user),
      body: html`${radioGroup({
        name: "role",
        label: roleLabel,
        value: form.value("role", held),
        error: form.problem("role"),
        options: choices,
      })}${buttonRow(button({ label: texts.save }))}`,
    }),
    { description: texts.roleDescription },
  );
}

function installationRoles(visit: OneUserVisit, user: User): Html {
  const [form, toggle] = [visit.shown("role"), visit.shown("administrator")];
  const [first] = visit.accounts;
  return html`${section(
    texts.administratorTitle,
    formOf("administrator", {
      shown: toggle,
      version: userVersion(visit, user),
      body: buttonRow(
        button({
          label: user.isAdministrator ? texts.takeAdministrator : texts.makeAdministrator,
          ...(user.isAdministrator ? { emphasis: "danger" as const } : {}),
          name: "isAdministrator",
          value: user.isAdministrator ? "no" : "yes",
        }),
      ),
    }),
    { description: user.isAdministrator ? texts.administratorYes : texts.administratorNo },
  )}${
    first === undefined
      ? null
      : section(
          texts.roleInAccount,
          formOf("role", {
            shown: form,
            look: "inline-form",
            body: html`${selectField({
              name: "account",
              label: texts.account,
              value: form.value("account", String(first.id)),
              error: form.problem("account"),
              options: visit.accounts.map(({ id, name }) => ({ value: String(id), label: name })),
            })}${selectField({
              name: "role",
              label: roleLabel,
              value: form.value("role", "viewer"),
              error: form.problem("role"),
              options: [...roleOptions(accountRoles), { value: "", label: texts.noRole }],
              isOptional: true,
            })}${button({ label: texts.save })}`,
          }),
          { description: texts.roleDescription },
        )
  }`;
}

export const roleForms: UserForms = {
  role: {
    submit: async (visit) => {
      const { perform, account, params, form, path } = visit;
      const id = account?.id ?? Number(form.text("account"));
      const role = readRole(form.text("role"));
      await perform(setUserRole, { account: Number.isSafeInteger(id) ? id : 0, id: params.user, role });
      // Without a role in the account, the user has no page there.
      const isGone = account !== null && role === null;
      return redirect(isGone ? placeOf(visit).at("/users") : path, texts.roleSaved);
    },
  },
  administrator: {
    submit: async ({ perform, params, form, path }) => {
      const isAdministrator = form.text("isAdministrator") === "yes";
      await perform(setAdministrator, { id: params.user, isAdministrator });
      return redirect(path, texts.administratorSaved);
    },
  },
};
