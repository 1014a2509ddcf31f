/** `/console/{account}/subscribers`: everybody, by state, address, name and list. */

import { countStates } from "#admin/accounts.ts";
import { listLists } from "#admin/lists.ts";
import {
  type AddressStatus,
  type FoundSubscribers,
  findSubscribers,
  findsEverybody,
  showAddress,
  sortsOf,
} from "#admin/subscribers/search.ts";
import type { List } from "#domain/list.ts";
import { parseAddressSearch, type SubscriberOrder } from "#domain/subscriber/search.ts";
import { type State, type SuppressionKind, states, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { stateBadge } from "#html/components/badge.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { emptyState, notice } from "#html/components/feedback.ts";
import { selectField } from "#html/components/fields.ts";
import { tabs } from "#html/components/page-header.ts";
import { selectionBar, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused } from "../../kit/errors.ts";
import { formOf } from "../../kit/form-html.ts";
import { allRows } from "../../kit/listing.ts";
import { byActor, linkTo, objectLinks } from "../../kit/object-links.ts";
import { type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { ADD, addressToAdd } from "./add.ts";
import { filterChoices, filterFields, filterIn } from "./conditions.ts";
import {
  addressFor,
  CHANGE_PATH,
  EXPORT_PATH,
  foundPager,
  nobodyFound,
  personColumns,
  SUBSCRIBERS_PATH,
  searchButtons,
  searchFields,
  searchIn,
  stateNames,
  type Wanted,
  wantedIn,
} from "./filter.ts";

// An address that is no subscriber: whether it could be added, and if not, why.

/** null: the search is not for one address, or the address is a subscriber. */
async function addressNotice(context: Here, search: string | null): Promise<Html | null> {
  const parsed = search === null ? null : parseAddressSearch(search);
  if (search === null || parsed === null || !("is" in parsed)) return null;
  const status = await context.performHere(showAddress, { email: search });
  if (status.subscriber !== null) return null;
  const reasons = reasonsOf(context, status);
  const title = `${status.address} is not a subscriber`;
  return reasons.length === 0
    ? notice("info", title, "The address can be added or imported.")
    : notice(
        "warning",
        title,
        html`<p>The address cannot be added or imported:</p><ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`,
      );
}

function reasonsOf(context: PageContext, { blocks, kept }: AddressStatus): readonly Html[] {
  const { formats } = context;
  const links = objectLinks(context);
  const blocked = blocks.map(
    ({ pattern, createdAt, by }) =>
      html`The block list contains <code>${linkTo(links.blocks, pattern)}</code> since ${formats.time(createdAt)}${
        by === null ? null : html`, ${byActor(by, links)}`
      }.`,
  );
  const held = suppressionKinds.flatMap((kind) => {
    const since = kept?.[kind] ?? null;
    return since === null ? [] : [html`${stillHolds[kind]} ${formats.time(since)}.`];
  });
  return [...blocked, ...held];
}

const stillHolds: Readonly<Record<SuppressionKind, string>> = {
  unsubscribed: "The person had unsubscribed and was erased. The address stays unsubscribed, since",
  bounced: "The address had bounced and its subscriber was erased. It stays bounced, since",
  complained: "The person had complained and was erased. That stays in force, since",
  blocked: "The address was blocked and its subscriber was erased. It stays blocked, since",
};

const PAGE_ROWS = 50;
type Here = PageContext<typeof SUBSCRIBERS_PATH>;

export const subscribersPage = page({
  path: SUBSCRIBERS_PATH,
  show: async (context) => {
    const wanted = await wantedIn(context);
    const sort = sortIn(context, wanted);
    const found = await context.list(findSubscribers, { ...wanted, sort, limit: PAGE_ROWS });
    const lists = await allRows(context, listLists);
    const missing = found.rows.length === 0 ? await addressNotice(context, wanted.search) : null;
    return titled(
      {
        title: "Subscribers",
        description: "Everybody in this account, whether they get mail or not.",
        actions: await actionsOf(context, wanted),
      },
      html`${await stateTabs(context, wanted)}
${await searchForm(context, wanted, lists)}
${missing ?? (found.rows.length === 0 ? await nobody(context, wanted, found) : await people(context, wanted, found))}`,
    );
  },
  forms: {
    search: async (context) => {
      const wanted: Wanted = {
        ...searchIn(context.form),
        state: (await wantedIn(context)).state,
        list: context.form.id("list"),
        filter: filterIn(context.form),
      };
      // Finds out whether the search is valid; what is wrong is shown beside its field.
      await context.performHere(findSubscribers, { ...wanted, limit: 1, withinMs: 0 });
      const sort =
        sortsOf(wanted)
          .slice(1)
          .find((order) => order === context.form.text("sort")) ?? null;
      return redirect(await addressFor(context, SUBSCRIBERS_PATH, wanted, { sort }));
    },
    choose: async (context) => {
      if (context.form.text("whom") === "all")
        return redirect(await addressFor(context, CHANGE_PATH, await wantedIn(context)));
      const ids = context.form.ids("id");
      if (ids.length === 0)
        throw new FormRefused({ message: "Select people first, with the boxes on the left." });
      return redirect(context.link(`/subscribers/change?ids=${ids.join("-")}`));
    },
  },
});

async function actionsOf(context: Here, wanted: Wanted): Promise<readonly Html[]> {
  const href = await addressFor(context, EXPORT_PATH, wanted);
  const exporting = buttonLink({ label: "Export", href, icon: "export" });
  if (!context.may("editor")) return [exporting];
  return [
    buttonLink({ label: ADD, href: addressToAdd(context), emphasis: "primary", icon: "plus" }),
    buttonLink({ label: "Import", href: context.link("/imports"), icon: "import" }),
    exporting,
  ];
}

const sortNames: Readonly<Record<SubscriberOrder, string>> = {
  address: "Address, A to Z",
  "address-desc": "Address, Z to A",
  newest: "Last added first",
  oldest: "First added first",
};
/** One that another search had may not be possible with this one: then it is the first that is. */
function sortIn({ query }: Here, wanted: Wanted): SubscriberOrder | null {
  const possible = sortsOf(wanted);
  return possible.find((order) => order === query.get("sort")) ?? possible[0] ?? null;
}

async function stateTabs(context: Here, wanted: Wanted): Promise<Html> {
  const number = (count: number): string => context.formats.number(count);
  const isPlain = findsEverybody({ ...wanted, state: null });
  const counts = isPlain ? await context.performHere(countStates, {}) : null;
  const countOf = (state: State | null): string | null => {
    if (counts === null) return null;
    return number(state === null ? states.reduce((sum, each) => sum + counts[each], 0) : counts[state]);
  };
  const all = [null, ...states].map(async (state) => ({
    label: state === null ? "All" : stateNames[state],
    href: await addressFor(
      context,
      SUBSCRIBERS_PATH,
      { ...wanted, state },
      { sort: context.query.get("sort") },
    ),
    isCurrent: state === wanted.state,
    count: countOf(state),
  }));
  return tabs("States", await Promise.all(all));
}

async function searchForm(context: Here, wanted: Wanted, lists: readonly List[]): Promise<Html> {
  const shown = context.formState("search");
  const isSearch = !findsEverybody({ ...wanted, state: null });
  const everybody = { search: null, name: null, list: null, filter: [], state: wanted.state };
  return formOf("search", {
    state: shown,
    look: "inline-form",
    body: html`${searchFields(shown, wanted)}${selectField({
      ...shown.field("list", wanted.list === null ? "" : String(wanted.list)),
      label: "List",
      options: [
        { value: "", label: "Any list" },
        ...lists.map(({ id, name }) => ({ value: String(id), label: name })),
      ],
      isOptional: true,
    })}${selectField({
      ...shown.field("sort", sortIn(context, wanted) ?? ""),
      label: "Sort by",
      options: sortsOf(wanted).map((value) => ({ value, label: sortNames[value] })),
      isOptional: true,
    })}${filterFields(shown, wanted.filter, await filterChoices(context, wanted.filter), {
      label: "Conditions",
      hint: "Only subscribers for whom all of this holds.",
    })}${searchButtons(isSearch ? await addressFor(context, SUBSCRIBERS_PATH, everybody) : null)}`,
  });
}

async function people(context: Here, wanted: Wanted, found: FoundSubscribers): Promise<Html> {
  const { formats } = context;
  const links = objectLinks(context);
  const mayChange = context.may("editor");
  const rows = table({
    caption: "Subscribers",
    rows: found.rows,
    href: ({ id }) => links.subscriber(id),
    columns: [
      ...personColumns,
      { label: "State", cell: ({ state }) => stateBadge(state) },
      { label: "Lists", cell: ({ lists }) => formats.number(lists), isNumber: true },
      { label: "Subscriber since", cell: ({ knownSince }) => formats.dateElement(knownSince), isMinor: true },
    ],
    selection: mayChange
      ? { name: "id", value: ({ id }) => String(id), label: ({ address }) => `Select ${address}` }
      : null,
  });
  const shownRows = found.rows.length;
  const count = shownRows === 1 ? "1 on this page" : `${formats.number(shownRows)} on this page`;
  const at = (more: Readonly<Record<string, string>>) =>
    addressFor(context, SUBSCRIBERS_PATH, wanted, { sort: sortIn(context, wanted), ...more });
  const pages = await foundPager(count, found, formats, at);
  if (!mayChange) return html`${rows}${pages}`;
  const shown = context.formState("choose");
  const all = html`<div class="table-actions"><span>${count}</span>${button({ label: "Change all that match…", name: "whom", value: "all" })}</div>`;
  const bar = selectionBar(
    shownRows,
    button({ label: "Change the selected…", name: "whom", value: "selected" }),
  );
  return formOf("choose", { state: shown, look: "plain", body: html`${all}${rows}${pages}${bar}` });
}

async function nobody(context: Here, wanted: Wanted, found: FoundSubscribers): Promise<Html> {
  if (found.next !== null || !findsEverybody(wanted))
    return await nobodyFound(found, context.formats, (more) =>
      addressFor(context, SUBSCRIBERS_PATH, wanted, { sort: sortIn(context, wanted), ...more }),
    );
  return emptyState({
    title: "No subscribers yet",
    text: "Import a file, add one person, or give an API key to a program that adds people.",
    icon: "people",
    actions: context.may("editor")
      ? [
          buttonLink({ label: "Import", href: context.link("/imports"), emphasis: "primary" }),
          buttonLink({ label: ADD, href: addressToAdd(context) }),
        ]
      : [],
  });
}
