/** The members of a list, with a search. What is about a person is encrypted in the address. */
import { type FoundSubscribers, findSubscribers } from "#admin/subscribers/search.ts";
import { withQuery } from "#console/kit/addresses/query.ts";
import { NoSuchPage } from "#console/kit/failures.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { type FormHandler, redirect } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { List } from "#domain/list.ts";
import type { FoundSubscriber } from "#domain/ports/subscribers.ts";
import { type State, states } from "#domain/subscriber/subscriber.ts";
import { badge, stateBadge } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { menu } from "#html/components/menu.ts";
import { section, tabs } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { periodIn, periodValue } from "../../growth/growth.ts";
import * as texts from "./list.texts.ts";

export const LIST_PATH = "/{account}/lists/{list}";
export type ListVisit = Visit<typeof LIST_PATH>;
const PAGE = 50;

/** null: any. */
interface Wanted {
  readonly search: string | null;
  readonly name: string | null;
  readonly state: State | null;
}

async function wantedIn(visit: ListVisit): Promise<Wanted> {
  const { search = null, name = null } = await visit.filter();
  const given = visit.query.get("state");
  const state = states.find((one) => one === given) ?? null;
  if (given !== null && state === null) throw new NoSuchPage();
  return { search, name, state };
}

async function addressFor(
  visit: ListVisit,
  { search, name, state }: Wanted,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const filter = await visit.seal({ search: search ?? "", name: name ?? "" });
  return withQuery(visit.path, { days: periodValue(periodIn(visit)), state, filter, ...more });
}

export const memberForms: Readonly<Record<string, FormHandler<ListVisit>>> = {
  search: {
    submit: async (visit) => {
      const given = (name: string): string | null => visit.form.text(name).trim() || null;
      const { state } = await wantedIn(visit);
      const wanted = { search: given("search"), name: given("name"), state };
      // Finds out whether the search is valid; what is wrong is shown beside its field.
      await visit.perform(findSubscribers, { ...inList(visit), ...wanted, limit: 1, withinMs: 0 });
      return redirect(await addressFor(visit, wanted));
    },
  },
};
const inList = ({ account, params }: ListVisit) => ({ account: account.id, list: params.list });

export async function membersPart(visit: ListVisit, list: List): Promise<Html> {
  const wanted = await wantedIn(visit);
  const found = await visit.list(findSubscribers, { ...inList(visit), ...wanted, limit: PAGE });
  const isEverybody = Object.values(wanted).every((one) => one === null);
  const isEmpty = isEverybody && found.rows.length === 0 && found.previous === null && found.next === null;
  if (isEmpty) return section(texts.members, nobodyYet(visit, list));
  return section(
    texts.members,
    html`${await stateTabs(visit, wanted)}
${await searchForm(visit, wanted)}
${found.rows.length === 0 ? await nobody(visit, wanted, found) : await people(visit, wanted, found)}`,
  );
}

const stateTabs = async (visit: ListVisit, wanted: Wanted): Promise<Html> =>
  tabs(
    texts.states,
    await Promise.all(
      [null, ...states].map(async (state) => ({
        label: state === null ? texts.all : texts.stateNames[state],
        href: await addressFor(visit, { ...wanted, state }),
        isCurrent: state === wanted.state,
      })),
    ),
  );

async function searchForm(visit: ListVisit, wanted: Wanted): Promise<Html> {
  const form = visit.shown("search");
  const isSearch = wanted.search !== null || wanted.name !== null;
  const everybody = { search: null, name: null, state: wanted.state };
  return formOf("search", {
    shown: form,
    look: "inline-form",
    body: html`${textField({
      name: "search",
      label: texts.address,
      type: "search",
      value: form.value("search", wanted.search ?? ""),
      error: form.problem("search"),
      placeholder: texts.addressExample,
      isOptional: true,
    })}${textField({
      name: "name",
      label: texts.name,
      type: "search",
      value: form.value("name", wanted.name ?? ""),
      error: form.problem("name"),
      placeholder: texts.nameExample,
      isOptional: true,
    })}${buttonRow(
      button({ label: texts.find, icon: "search" }),
      ...(isSearch
        ? [buttonLink({ label: texts.clear, href: await addressFor(visit, everybody), emphasis: "quiet" })]
        : []),
    )}`,
  });
}

async function people(visit: ListVisit, wanted: Wanted, found: FoundSubscribers): Promise<Html> {
  const { formats, link, path, may } = visit;
  const { rows, next, previous, searched } = found;
  const at = (more: Readonly<Record<string, string>>) => addressFor(visit, wanted, more);
  const count = texts.shown(formats.number(rows.length));
  return html`${table({
    caption: texts.members,
    rows,
    href: ({ id }) => link(`/subscribers/${id}`),
    columns: [
      { label: texts.address, cell: ({ address }) => address },
      {
        label: texts.name,
        cell: ({ firstName, lastName }) => `${firstName} ${lastName}`.trim(),
        isTyped: true,
      },
      { label: texts.state, cell: memberState },
      {
        label: texts.since,
        cell: ({ membership }) => membership && formats.dateElement(membership.joinedAt),
      },
    ],
    actions: may("editor")
      ? ({ id, address }) =>
          menu(
            texts.actionsOf(address),
            [{ label: texts.takeOff, href: `${path}/members/${id}/remove` }],
            "dots",
          )
      : null,
  })}${pager({
    text: searched === null ? count : `${count}. ${texts.searchOn(formats.number(searched))}`,
    previous: previous === null ? null : await at({ before: previous }),
    next: next === null ? null : await at({ after: next }),
  })}`;
}

/** The person's state and, if they have yet to confirm the membership, that. */
const memberState = ({ state, membership }: FoundSubscriber): Html =>
  html`${stateBadge(state)}${membership?.status === "pending" ? html` ${badge(texts.notConfirmed, "info")}` : null}`;

async function nobody(visit: ListVisit, wanted: Wanted, { next, searched }: FoundSubscribers): Promise<Html> {
  if (next === null) return emptyState({ title: texts.nobodyTitle, text: texts.nobody, icon: "search" });
  return emptyState({
    title: texts.nobodySoFarTitle,
    text: texts.nobodySoFar(visit.formats.number(searched ?? 0)),
    icon: "search",
    actions: [buttonLink({ label: texts.next, href: await addressFor(visit, wanted, { after: next }) })],
  });
}

const nobodyYet = ({ may, link }: ListVisit, { id }: List): Html =>
  emptyState({
    title: texts.emptyTitle,
    text: may("editor") ? texts.empty : texts.emptyViewer,
    icon: "people",
    actions: may("editor")
      ? [
          buttonLink({ label: texts.importInto, href: link(`/imports?list=${id}`), emphasis: "primary" }),
          buttonLink({ label: texts.add, href: link(`/lists/${id}/add`) }),
        ]
      : [],
  });
