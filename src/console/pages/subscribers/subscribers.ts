/** `/console/{account}/subscribers`: everybody, by state, address, name and list. */

import { countStates } from "#admin/accounts.ts";
import { listLists } from "#admin/lists.ts";
import {
  type AddressStatus,
  type FoundSubscribers,
  findSubscribers,
  showAddress,
} from "#admin/subscribers/search.ts";
import type { List } from "#domain/list.ts";
import { parseAddressSearch } from "#domain/subscriber/search.ts";
import { type State, type SuppressionKind, states, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { stateBadge } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState, notice } from "#html/components/feedback.ts";
import { selectField } from "#html/components/fields.ts";
import { tabs } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused } from "../../kit/errors.ts";
import { formOf } from "../../kit/form-html.ts";
import { allRows } from "../../kit/listing.ts";
import { byActor, linkTo, objectLinks } from "../../kit/object-links.ts";
import { type PageContext, page, redirect, titled } from "../../kit/page.ts";
import {
  addressFor,
  CHANGE_PATH,
  foundPager,
  isEverybody,
  nobodyFound,
  personColumns,
  searchButtons,
  searchFields,
  searchIn,
  stateNames,
  type Wanted,
  wantedIn,
} from "./filter.ts";

// An address that is no subscriber: whether it could be added, and if not, why.

/** null: the search is not for one address, or the address is a subscriber. */
async function addressNotice(
  context: PageContext<"/{account}/subscribers">,
  search: string | null,
): Promise<Html | null> {
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

const PATH = "/{account}/subscribers";
const PAGE_ROWS = 50;
type Here = PageContext<typeof PATH>;

export const subscribersPage = page({
  path: PATH,
  show: async (context) => {
    const wanted = await wantedIn(context);
    const found = await context.list(findSubscribers, { ...wanted, limit: PAGE_ROWS });
    const lists = await allRows(context, listLists);
    const missing = found.rows.length === 0 ? await addressNotice(context, wanted.search) : null;
    return titled(
      {
        title: "Subscribers",
        description: "Everybody in this account, whether they get mail or not.",
        actions: context.may("editor")
          ? [buttonLink({ label: "Import", href: context.link("/imports"), icon: "import" })]
          : [],
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
      };
      // Finds out whether the search is valid; what is wrong is shown beside its field.
      await context.performHere(findSubscribers, { ...wanted, limit: 1, withinMs: 0 });
      return redirect(await addressFor(context, PATH, wanted));
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

async function stateTabs(context: Here, wanted: Wanted): Promise<Html> {
  const number = (count: number): string => context.formats.number(count);
  const isPlain = isEverybody({ ...wanted, state: null });
  const counts = isPlain ? await context.performHere(countStates, {}) : null;
  const countOf = (state: State | null): string | null => {
    if (counts === null) return null;
    return number(state === null ? states.reduce((sum, each) => sum + counts[each], 0) : counts[state]);
  };
  const all = [null, ...states].map(async (state) => ({
    label: state === null ? "All" : stateNames[state],
    href: await addressFor(context, PATH, { ...wanted, state }),
    isCurrent: state === wanted.state,
    count: countOf(state),
  }));
  return tabs("States", await Promise.all(all));
}

async function searchForm(context: Here, wanted: Wanted, lists: readonly List[]): Promise<Html> {
  const shown = context.formState("search");
  const isSearch = wanted.search !== null || wanted.name !== null || wanted.list !== null;
  const everybody = { search: null, name: null, list: null, state: wanted.state };
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
    })}${searchButtons(isSearch ? await addressFor(context, PATH, everybody) : null)}`,
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
  const at = (more: Readonly<Record<string, string>>) => addressFor(context, PATH, wanted, more);
  const pages = await foundPager(count, found, formats, at);
  if (!mayChange) return html`${rows}${pages}`;
  const shown = context.formState("choose");
  const buttons = buttonRow(
    button({ label: "Change the selected…", name: "whom", value: "selected" }),
    button({ label: "Change all that match…", name: "whom", value: "all" }),
  );
  return formOf("choose", { state: shown, look: "plain", body: html`${rows}${pages}${buttons}` });
}

async function nobody(context: Here, wanted: Wanted, found: FoundSubscribers): Promise<Html> {
  if (found.next !== null || !isEverybody(wanted))
    return await nobodyFound(found, context.formats, (more) => addressFor(context, PATH, wanted, more));
  return emptyState({
    title: "No subscribers yet",
    text: "Import a file, or give an API key to a program that adds people.",
    icon: "people",
    actions: context.may("editor")
      ? [buttonLink({ label: "Import", href: context.link("/imports"), emphasis: "primary" })]
      : [],
  });
}
