/** The lists of a subscriber: to be added to one, and removed from one. */
import { findList, listLists } from "#admin/lists.ts";
import { addSubscriber, removeSubscriber } from "#admin/subscribers/subscribers.ts";
import { objectLinks } from "#console/kit/addresses/object-links.ts";
import { allRows } from "#console/kit/all-rows.ts";
import { FormRefused } from "#console/kit/failures.ts";
import { doing } from "#console/kit/forms/form.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { type FormHandler, redirect } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { SubscriberRecord } from "#domain/ports/subscribers.ts";
import { badge } from "#html/components/badge.ts";
import { button } from "#html/components/buttons.ts";
import { selectField } from "#html/components/fields.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import type { PERSON } from "./links.ts";
import * as texts from "./person.texts.ts";

type Here = Visit<typeof PERSON>;
type Membership = SubscriberRecord["lists"][number];

export async function listsPart(visit: Here, record: SubscriberRecord): Promise<Html> {
  const { formats, may } = visit;
  const links = objectLinks(visit);
  const shown = table({
    caption: texts.lists,
    rows: record.lists,
    href: ({ id }: Membership) => links.list(id),
    columns: [
      {
        label: texts.list,
        cell: ({ name }) => name,
        detail: ({ joinedAt }) => html`<span>${texts.joinedAt} ${formats.dateElement(joinedAt)}</span>`,
      },
      { label: texts.membership, cell: membershipBadge },
    ],
    ...(may("editor") ? { actions: removeButton } : {}),
  });
  return html`${record.lists.length === 0 ? html`<p>${texts.noLists}</p>` : shown}
${may("editor") ? await addForm(visit, record) : null}`;
}

function membershipBadge({ status, counts }: Membership): Html {
  if (counts) return badge(texts.memberships.active, "good");
  return status === "pending"
    ? badge(texts.memberships.pending, "info")
    : badge(texts.memberships.suspended, "neutral");
}

const removeButton = ({ id }: Membership): Html =>
  html`<form method="post">${doing("remove")}${button({ label: texts.remove, emphasis: "quiet", name: "removedList", value: String(id) })}</form>`;

async function addForm(visit: Here, record: SubscriberRecord): Promise<Html | null> {
  const shown = visit.shown("add");
  const on = new Set(record.lists.map(({ id }) => id));
  const others = (await allRows(visit, listLists, { account: visit.account.id })).filter(
    ({ id }) => !on.has(id),
  );
  if (record.state !== "active")
    return others.length === 0 ? null : html`<p class="hint">${texts.cannotBeAdded}</p>`;
  if (others.length === 0) return null;
  return formOf("add", {
    shown,
    look: "inline-form",
    body: html`${selectField({
      name: "list",
      label: texts.addTo,
      value: shown.value("list"),
      error: shown.problem("list"),
      options: [
        { value: "", label: texts.choose },
        ...others.map(({ id, name }) => ({ value: String(id), label: name })),
      ],
    })}${button({ label: texts.add })}`,
  });
}

export const listForms: Readonly<Record<string, FormHandler<Here>>> = {
  add: {
    submit: async (visit) => {
      const list = visit.form.id("list");
      if (list === null) throw new FormRefused({ fields: { list: texts.chooseFirst } });
      const name = await nameOf(visit, list);
      const of = { account: visit.account.id, id: visit.params.subscriber };
      const { isPending } = await visit.perform(addSubscriber, { ...of, list, values: [] });
      return redirect(visit.path, isPending ? texts.addedPending(name) : texts.added(name));
    },
  },
  remove: {
    submit: async (visit) => {
      const list = visit.form.id("removedList") ?? 0;
      const name = await nameOf(visit, list);
      await visit.perform(removeSubscriber, {
        account: visit.account.id,
        id: visit.params.subscriber,
        list,
      });
      return redirect(visit.path, texts.removed(name));
    },
  },
};

async function nameOf(visit: Here, list: number): Promise<string> {
  const { name } = await visit.perform(findList, { account: visit.account.id, id: list });
  return name;
}
