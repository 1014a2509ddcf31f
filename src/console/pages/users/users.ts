/** `…/settings/users` of an account, and `/console/installation/users`: who works with it, in which role. */
import { listUsers } from "#admin/users/users.ts";
import { type Role, roles } from "#domain/access/role.ts";
import type { User } from "#domain/access/user.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { type Content, content, page } from "../../kit/page.ts";
import { type AnyVisit, placeOf } from "../settings/place.ts";
import * as texts from "./users.texts.ts";

const PAGE = 50;

export function stateBadge({ disabledAt, passwordSetAt }: User): Html {
  if (disabledAt !== null) return badge(texts.disabled, "bad");
  return passwordSetAt === null ? badge(texts.invited, "info") : badge(texts.active, "good");
}

export const accountName = ({ accounts }: Pick<AnyVisit, "accounts">, account: number): string =>
  accounts.find(({ id }) => id === account)?.name ?? texts.accountNumber(account);

/** In an account the role there; in the installation all roles. */
export function rolesText(visit: Pick<AnyVisit, "account" | "accounts">, user: User): string {
  if (user.isAdministrator) return texts.roleNames.administrator;
  const here = user.roles.filter(({ account }) => visit.account === null || account === visit.account.id);
  if (here.length === 0) return texts.noRole;
  return here
    .map(({ role, account }) =>
      visit.account === null
        ? texts.inAccount(texts.roleNames[role], isolated(accountName(visit, account)))
        : texts.roleNames[role],
    )
    .join(", ");
}

export const roleOptions = (offered: readonly Role[]) =>
  roles
    .filter((role) => offered.includes(role))
    .map((value) => ({ value, label: texts.roleNames[value], hint: texts.roleHints[value] }));

async function show(visit: AnyVisit): Promise<Content> {
  const { list, formats, path, user: self } = visit;
  const place = placeOf(visit);
  const { rows, next, previous } = await list(listUsers, { account: place.account, limit: PAGE });
  const invite = buttonLink({
    label: texts.invite,
    href: place.at("/users/new"),
    emphasis: "primary",
    icon: "plus",
  });
  const body =
    rows.length === 0 && previous === null
      ? emptyState({ title: texts.emptyTitle, text: texts.emptyText, icon: "user", actions: [invite] })
      : html`${table({
          caption: texts.title,
          rows,
          href: ({ id }) => place.at(`/users/${id}`),
          columns: [
            { label: texts.email, cell: ({ email }) => email },
            {
              label: texts.name,
              cell: ({ id, name }) => (id === self.id ? html`${name} ${badge(texts.you, "info")}` : name),
            },
            { label: texts.role, cell: (user) => rolesText(visit, user) },
            {
              label: texts.factor,
              cell: ({ totpSince }) => (totpSince === null ? texts.off : texts.on),
              isMinor: true,
            },
            { label: texts.state, cell: stateBadge },
          ],
        })}${pager({
          text: texts.shown(formats.number(rows.length)),
          ...neighbours(path, { previous, next }),
        })}`;
  return content(
    texts.title,
    html`${place.top("/users", rows.length === 0 ? [] : [invite])}
${body}`,
  );
}

export const usersPages = [
  page({ path: "/{account}/settings/users", role: "owner", show }),
  page({ path: "/installation/users", role: "administrator", show }),
];
