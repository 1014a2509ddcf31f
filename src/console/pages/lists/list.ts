/** `/console/{account}/lists/{list}` and the pages below it: its members, rename, delete. */

import { deleteList, findList, renameList, showListToDelete } from "#admin/lists.ts";
import { showSubscriber } from "#admin/subscribers/record.ts";
import { type FoundSubscribers, findSubscribers } from "#admin/subscribers/search.ts";
import { removeSubscriber } from "#admin/subscribers/subscribers.ts";
import type { List } from "#domain/list.ts";
import type { FoundSubscriber } from "#domain/ports/subscribers.ts";
import { states } from "#domain/subscriber/subscriber.ts";
import { versionOf } from "#domain/version.ts";
import { badge, stateBadge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { stats } from "#html/components/figures.ts";
import { menu } from "#html/components/menu.ts";
import { section, tabs } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { confirmPage, formOf, formPage } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { withQuery } from "../../kit/listing.ts";
import { type Forms, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { growthPart, periodIn, periodValue, readGrowth, within } from "../growth.ts";
import { redirectAfter } from "../jobs/job-progress.ts";
import { ADD, addressToAdd } from "../subscribers/add.ts";
import {
  foundPager,
  nobodyFound,
  personColumns,
  type Wanted as SubscriberWanted,
  searchButtons,
  searchFields,
  searchIn,
  stateIn,
  stateNames,
} from "../subscribers/filter.ts";
import { listsTexts } from "./lists.ts";

/** The members of a list, with a search. What is about a person is encrypted in the address. */
const LIST_PATH = "/{account}/lists/{list}";
type ListContext = PageContext<typeof LIST_PATH>;
const PAGE = 50;

/** null: any. */
type Wanted = Omit<SubscriberWanted, "list" | "filter">;

const wantedIn = async ({ filter, query }: ListContext): Promise<Wanted> => {
  const { search = null, name = null } = await filter();
  return { search, name, state: stateIn(query) };
};

async function addressFor(
  context: ListContext,
  { search, name, state }: Wanted,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const filter = await context.encrypt({ search: search ?? "", name: name ?? "" });
  return withQuery(context.path, { days: periodValue(periodIn(context)), state, filter, ...more });
}

const memberForms: Forms<ListContext> = {
  search: async (context) => {
    const { state } = await wantedIn(context);
    const wanted = { ...searchIn(context.form), state };
    // Finds out whether the search is valid; what is wrong is shown beside its field.
    await context.performHere(findSubscribers, { ...inList(context), ...wanted, limit: 1, withinMs: 0 });
    return redirect(await addressFor(context, wanted));
  },
};
const inList = ({ params }: ListContext) => ({ list: params.list, filter: [] });

async function membersPart(context: ListContext, list: List): Promise<Html> {
  const wanted = await wantedIn(context);
  const found = await context.list(findSubscribers, { ...inList(context), ...wanted, limit: PAGE });
  const isEverybody = Object.values(wanted).every((one) => one === null);
  const isEmpty = isEverybody && found.rows.length === 0 && found.previous === null && found.next === null;
  if (isEmpty) return section("Members", noMembersYet(context, list));
  return section(
    "Members",
    html`${await stateTabs(context, wanted)}
${await searchForm(context, wanted)}
${found.rows.length === 0 ? await nobodyFound(found, context.formats, (more) => addressFor(context, wanted, more)) : await people(context, wanted, found)}`,
  );
}

const stateTabs = async (context: ListContext, wanted: Wanted): Promise<Html> =>
  tabs(
    "States",
    await Promise.all(
      [null, ...states].map(async (state) => ({
        label: state === null ? "All" : stateNames[state],
        href: await addressFor(context, { ...wanted, state }),
        isCurrent: state === wanted.state,
      })),
    ),
  );

async function searchForm(context: ListContext, wanted: Wanted): Promise<Html> {
  const form = context.formState("search");
  const isSearch = wanted.search !== null || wanted.name !== null;
  const everybody = { search: null, name: null, state: wanted.state };
  return formOf("search", {
    state: form,
    look: "inline-form",
    body: html`${searchFields(form, wanted)}${searchButtons(isSearch ? await addressFor(context, everybody) : null)}`,
  });
}

async function people(context: ListContext, wanted: Wanted, found: FoundSubscribers): Promise<Html> {
  const { formats, link, path, may } = context;
  const at = (more: Readonly<Record<string, string>>) => addressFor(context, wanted, more);
  const count = `${formats.number(found.rows.length)} on this page`;
  return html`${table({
    caption: "Members",
    rows: found.rows,
    href: ({ id }) => link(`/subscribers/${id}`),
    columns: [
      ...personColumns,
      { label: "State", cell: memberState },
      {
        label: "Member since",
        cell: ({ membership }) => membership && formats.dateElement(membership.joinedAt),
      },
    ],
    actions: may("editor")
      ? ({ id, address }) =>
          menu(
            `Actions for ${address}`,
            [{ label: "Remove from the list", href: `${path}/members/${id}/remove` }],
            "dots",
          )
      : null,
  })}${await foundPager(count, found, formats, at)}`;
}

/** The person's state and, if they have yet to confirm the membership, that. */
const memberState = ({ state, membership }: FoundSubscriber): Html =>
  html`${stateBadge(state)}${membership?.status === "pending" ? html` ${badge("Not confirmed", "info")}` : null}`;

const noMembersYet = ({ may, link }: ListContext, { id }: List): Html =>
  emptyState({
    title: "Nobody is on this list yet",
    text: may("editor")
      ? "Import a file, add one person, or give an API key to a program that adds people."
      : "A user with the role editor can add or import people.",
    icon: "people",
    actions: may("editor")
      ? [
          buttonLink({ label: "Import", href: link(`/imports?list=${id}`), emphasis: "primary" }),
          buttonLink({ label: ADD, href: addressToAdd({ link }, id) }),
        ]
      : [],
  });

/** `/console/{account}/lists/{list}`: how a list grew, and its members. */
const listPage = page({
  path: LIST_PATH,
  show: async (context) => {
    const { params, formats, link } = context;
    const list = await context.performHere(findList, { id: params.list });
    return titled(
      {
        title: list.name,
        parent: { label: listsTexts.title, href: link("/lists") },
        description: `ID ${String(list.id)} · Created ${formats.date(list.createdAt)}`,
        actions: actionsOf(context),
      },
      html`${await growthOf(context, list)}
${await membersPart(context, list)}`,
    );
  },
  forms: memberForms,
});

/** Nothing, if the list had no members in that time. */
async function growthOf(context: ListContext, list: List): Promise<Html | null> {
  const growth = await readGrowth(context, list.id);
  const { joined, left } = growth;
  if (list.members + joined + left === 0) return null;
  const { number } = context.formats;
  const detail = within(periodIn(context));
  const figures = stats([
    { label: "Active members", value: number(list.members), detail: "get mail" },
    { label: "Joined", value: number(joined), detail },
    { label: "Left", value: number(left), detail },
  ]);
  return growthPart(context, growth, { active: "Active members", figures });
}

function actionsOf({ link, params, may }: ListContext): readonly Html[] {
  const here = link(`/lists/${params.list}`);
  const exporting = buttonLink({ label: "Export", href: `${here}/export`, icon: "export" });
  if (!may("editor")) return [exporting];
  return [
    buttonLink({ label: ADD, href: addressToAdd({ link }, params.list), emphasis: "primary", icon: "plus" }),
    buttonLink({ label: "Import", href: link(`/imports?list=${params.list}`), icon: "import" }),
    exporting,
    menu("More", [
      { label: "Rename", href: `${here}/rename` },
      ...(may("owner") ? [{ label: "Delete", href: `${here}/delete`, isDanger: true }] : []),
    ]),
  ];
}

const removeMemberPage = confirmPage({
  path: "/{account}/lists/{list}/members/{subscriber}/remove",
  role: "editor",
  form: "remove",
  show: async ({ performHere, params, link }) => {
    const list = await performHere(findList, { id: params.list });
    const { record } = await performHere(showSubscriber, { id: params.subscriber });
    return {
      title: `Remove from ${quoted(list.name)}`,
      parent: { label: list.name, href: link(`/lists/${list.id}`) },
      question: `Remove ${record.address} from ${quoted(list.name)}?`,
      affected: "1 person",
      consequences: [
        "The person gets no more mail for this list.",
        "The person stays in the account and on all other lists, and can be added again.",
        "To stop all mail, unsubscribe the person on their own page instead.",
      ],
      isDangerous: true,
      confirm: "Remove from the list",
      keep: "Keep",
    };
  },
  submit: async ({ performHere, params, link }) => {
    const list = await performHere(findList, { id: params.list });
    const one = { list: list.id, id: params.subscriber };
    const { address } = await performHere(removeSubscriber, one);
    return redirect(link(`/lists/${list.id}`), `${address} was removed from ${quoted(list.name)}.`);
  },
});

/** `/console/{account}/lists/{list}/rename` */
const renameListPage = formPage({
  path: "/{account}/lists/{list}/rename",
  role: "editor",
  form: "rename",
  show: async ({ performHere, params, link }, form) => {
    const list = await performHere(findList, { id: params.list });
    return {
      title: `Rename ${quoted(list.name)}`,
      parent: { label: list.name, href: link(`/lists/${list.id}`) },
      version: versionOf("list", list),
      fields: textField({
        ...form.field("name", list.name),
        label: "Name",
        hasFocus: true,
        hint: "The ID stays the same. Earlier campaigns keep the old name of the list.",
      }),
      save: "Save",
    };
  },
  submit: async ({ performHere, params, form, link }) => {
    const one = { id: params.list };
    const list = await performHere(renameList, { ...one, name: form.text("name") });
    return redirect(link(`/lists/${list.id}`), `The list is now called ${quoted(list.name)}.`);
  },
});

/** `/console/{account}/lists/{list}/delete`: what goes and what stays, then the deletion. */
const deleteListPage = confirmPage({
  path: "/{account}/lists/{list}/delete",
  role: "owner",
  form: "delete",
  show: async ({ performHere, params, link, formats }) => {
    const found = await performHere(showListToDelete, { id: params.list });
    const { list, campaigns, hasMoreCampaigns } = found;
    const home = link(`/lists/${list.id}`);
    return {
      title: `Delete ${quoted(list.name)}`,
      parent: { label: list.name, href: home },
      question: `Delete the list ${quoted(list.name)}?`,
      affected: affectedBy(list, formats),
      consequences: [
        "The people stay in the account, with their data, their history and their other lists.",
        "The growth statistics of this list are deleted.",
        campaigns === 0
          ? "No campaign was recorded for it."
          : `${hasMoreCampaigns ? "At least " : ""}${formats.count(campaigns, "campaign was", "campaigns were")} recorded for it. ${campaigns === 1 && !hasMoreCampaigns ? "It stays" : "They stay"}, with the name of the list.`,
        `Calls from programs that still use its ID (${String(list.id)}) will be refused.`,
        "This cannot be undone. An export keeps a copy of its members.",
      ],
      isDangerous: true,
      version: versionOf("list", list),
      confirm: "Delete the list",
      others: [buttonLink({ label: "Export first", href: `${home}/export` })],
      keep: "Keep it",
    };
  },
  submit: async (context) => {
    const { performHere, params, link } = context;
    const { list, job } = await performHere(deleteList, { id: params.list });
    const [done, begun] = [
      `The list ${quoted(list.name)} was deleted. Its people stay in the account.`,
      `The list ${quoted(list.name)} is being deleted. Nobody can be added to it any more.`,
    ];
    return redirectAfter(context, job, link("/lists"), { done, begun });
  },
});

function affectedBy({ members }: List, { number }: Formats): string {
  if (members === 0) return "It has no members";
  return members === 1 ? "1 member leaves it" : `${number(members)} members leave it`;
}

export const listPages = [listPage, removeMemberPage, renameListPage, deleteListPage];
