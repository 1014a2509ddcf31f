/** `…/users/{user}`: one user as owners and administrators see them, and what they can do about them. */
import { Forbidden } from "#admin/kit/errors.ts";
import { removeUserTotp } from "#admin/users/credentials.ts";
import { listUserTokens } from "#admin/users/tokens.ts";
import { disableUser, enableUser, showUser } from "#admin/users/users.ts";
import type { User } from "#domain/access/user.ts";
import { button, buttonRow } from "#html/components/buttons.ts";
import { confirmation, notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { card, pageHeader, section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { DEFAULT_TIME_ZONE } from "../../kit/formats.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { type Content, content, page, redirect } from "../../kit/page.ts";
import { placeOf } from "../settings/place.ts";
import { shownLink } from "./sign-in-link.ts";
import * as texts from "./user.texts.ts";
import { accessForms, sessionsPart, tokensPart } from "./user-access.ts";
import { type OneUserVisit, roleForms, rolePart, type UserForms, userVersion } from "./user-role.ts";
import * as shared from "./users.texts.ts";
import { rolesText, stateBadge } from "./users.ts";

const oneOf = (visit: OneUserVisit) => ({ account: placeOf(visit).account, id: visit.params.user });

/** Whether the actor may change what concerns the user everywhere: the layer decides. */
async function isManaged(visit: OneUserVisit): Promise<boolean> {
  try {
    await visit.perform(listUserTokens, oneOf(visit));
    return true;
  } catch (error) {
    if (error instanceof Forbidden) return false;
    throw error;
  }
}

function facts(visit: OneUserVisit, user: User): Html {
  const { formats } = visit;
  return card(
    definitions([
      [shared.email, user.email],
      [shared.name, user.name],
      [shared.role, rolesText(visit, user)],
      [
        texts.password,
        user.passwordSetAt === null ? texts.noPassword : texts.passwordSet(formats.date(user.passwordSetAt)),
      ],
      [
        texts.factorTitle,
        user.totpSince === null ? texts.factorOff : texts.factorSince(formats.date(user.totpSince)),
      ],
      [texts.timeZone, user.timeZone ?? DEFAULT_TIME_ZONE],
      [texts.since, formats.date(user.createdAt)],
    ]),
  );
}

function oneButton(visit: OneUserVisit, form: string, label: string): Html {
  return formOf(form, { shown: visit.shown(form), body: buttonRow(button({ label })) });
}

function disablePart(visit: OneUserVisit, user: User): Html {
  const version = userVersion(visit, user);
  if (user.disabledAt !== null)
    return section(
      texts.enableTitle,
      formOf("enable", {
        shown: visit.shown("enable"),
        version,
        body: buttonRow(button({ label: texts.enable })),
      }),
      { description: texts.enableDescription },
    );
  return html`<section class="part">${confirmation({
    title: texts.disableTitle,
    affected: null,
    consequences: texts.disableConsequences,
    isDangerous: true,
    body: formOf("disable", {
      shown: visit.shown("disable"),
      version,
      body: buttonRow(button({ label: texts.disable, emphasis: "danger" })),
    }),
  })}</section>`;
}

async function management(visit: OneUserVisit, user: User): Promise<Html> {
  if (user.id === visit.user.id)
    return notice(
      "info",
      texts.yourself,
      html`${texts.yourselfText} <a href="${visit.base}/me">${texts.toMe}</a>`,
    );
  if (!(await isManaged(visit)))
    return html`${notice("info", texts.notManaged, texts.notManagedText)}${rolePart(visit, user)}`;
  return html`${rolePart(visit, user)}
${
  user.disabledAt === null
    ? section(shared.linkTitle, oneButton(visit, "link", shared.makeLink), {
        description: shared.linkDescription,
      })
    : null
}
${
  user.totpSince === null
    ? null
    : section(texts.factorTitle, oneButton(visit, "reset-factor", texts.resetFactor), {
        description: texts.factorDescription,
      })
}
${await sessionsPart(visit, user)}
${await tokensPart(visit, user)}
${disablePart(visit, user)}`;
}

async function show(visit: OneUserVisit): Promise<Content> {
  const user = await visit.perform(showUser, oneOf(visit));
  const title = user.name === "" ? user.email : user.name;
  return content(
    title,
    html`${pageHeader({
      title,
      parent: { label: shared.title, href: placeOf(visit).at("/users") },
      aside: stateBadge(user),
    })}
<div class="stack">${facts(visit, user)}
${await management(visit, user)}</div>`,
  );
}

const forms: UserForms = {
  ...roleForms,
  ...accessForms,
  link: {
    submit: async (visit) => shownLink(visit, await visit.perform(showUser, oneOf(visit))),
  },
  "reset-factor": {
    submit: async (visit) => {
      await visit.perform(removeUserTotp, oneOf(visit));
      return redirect(visit.path, texts.factorReset);
    },
  },
  disable: {
    submit: async (visit) => {
      await visit.perform(disableUser, oneOf(visit));
      return redirect(visit.path, texts.wasDisabled);
    },
  },
  enable: {
    submit: async (visit) => {
      await visit.perform(enableUser, oneOf(visit));
      return redirect(visit.path, texts.wasEnabled);
    },
  },
};

export const userPages = [
  page({ path: "/{account}/settings/users/{user}", role: "owner", show, forms }),
  page({ path: "/installation/users/{user}", role: "administrator", show, forms }),
];
