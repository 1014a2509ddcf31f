/** `…/users/new`: adds a user, and shows the link with which the person signs in. */
import { AlreadyExists } from "#admin/kit/errors.ts";
import { createUser, findUserByAddress, setUserRole } from "#admin/users/users.ts";
import { type AccountRole, accountRoles } from "#domain/access/role.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { radioGroup, textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { type Answer, type Content, content, page, redirect } from "../../kit/page.ts";
import { type AnyVisit, placeOf } from "../settings/place.ts";
import { shownLink } from "./sign-in-link.ts";
import * as texts from "./users.texts.ts";
import { roleOptions } from "./users.ts";

async function show(visit: AnyVisit): Promise<Content> {
  const place = placeOf(visit);
  const form = visit.shown("create");
  const field = (name: string, label: string) => ({
    name,
    label,
    value: form.value(name),
    error: form.problem(name),
  });
  return content(
    texts.newTitle,
    html`${pageHeader({
      title: texts.newTitle,
      parent: { label: texts.title, href: place.at("/users") },
      description: place.account === null ? texts.newOfInstallation : texts.newDescription,
    })}
${formOf("create", {
  shown: form,
  body: html`${textField({ ...field("email", texts.email), type: "email" })}${textField({
    ...field("name", texts.name),
    hint: texts.nameHint,
    isOptional: true,
  })}${
    place.account === null
      ? null
      : radioGroup({
          name: "role",
          label: texts.role,
          value: form.value("role", "viewer"),
          error: form.problem("role"),
          options: roleOptions(accountRoles),
        })
  }${buttonRow(button({ label: texts.create, emphasis: "primary" }))}`,
})}`,
  );
}

const roleIn = (visit: AnyVisit): AccountRole | null =>
  visit.account === null ? null : (accountRoles.find((role) => role === visit.form.text("role")) ?? "viewer");

async function submit(visit: AnyVisit): Promise<Answer> {
  const { perform, form, account, may } = visit;
  const place = placeOf(visit);
  const [email, role] = [form.text("email"), roleIn(visit)];
  try {
    const created = await perform(createUser, {
      ...{ account: place.account, role },
      ...{ email, name: form.text("name") },
    });
    if (account === null) return redirect(place.at(`/users/${created.id}`), texts.created(created.email));
    return await shownLink(visit, created);
  } catch (error) {
    // Only an administrator gives somebody who is known already a role in a further account.
    if (!(error instanceof AlreadyExists) || account === null || role === null || !may("administrator"))
      throw error;
    const known = await perform(findUserByAddress, { account: account.id, email });
    // A user of the account keeps the role: this page only adds people.
    if (known.roles.some((held) => held.account === account.id)) throw error;
    await perform(setUserRole, { account: account.id, id: known.id, role });
    return redirect(place.at(`/users/${known.id}`), texts.existed(known.email));
  }
}

export const newUserPages = [
  page({ path: "/{account}/settings/users/new", role: "owner", show, forms: { create: { submit } } }),
  page({ path: "/installation/users/new", role: "administrator", show, forms: { create: { submit } } }),
];
