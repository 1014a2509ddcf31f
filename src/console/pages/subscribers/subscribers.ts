/** `/console/{account}/subscribers`: everybody, by state, address, name and list. */
import { countStates } from "#admin/accounts.ts";
import { listLists } from "#admin/lists.ts";
import { type FoundSubscribers, findSubscribers } from "#admin/subscribers/search.ts";
import type { List } from "#domain/list.ts";
import { type State, states } from "#domain/subscriber/subscriber.ts";
import { stateBadge } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { pageHeader, tabs } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { objectLinks } from "../../kit/addresses/object-links.ts";
import { allRows } from "../../kit/all-rows.ts";
import { FormRefused } from "../../kit/failures.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import { addressNotice } from "./address-status.ts";
import { CHANGE_PATH } from "./change-path.ts";
import { addressFor, isEverybody, type Wanted, wantedIn } from "./filter.ts";
import * as texts from "./subscribers.texts.ts";

const PATH = "/{account}/subscribers";
const PAGE_ROWS = 50;
type Here = Visit<typeof PATH>;

export const subscribersPage = page({
  path: PATH,
  show: async (visit) => {
    const wanted = await wantedIn(visit);
    const account = visit.account.id;
    const found = await visit.list(findSubscribers, { account, ...wanted, limit: PAGE_ROWS });
    const lists = await allRows(visit, listLists, { account });
    const missing = found.rows.length === 0 ? await addressNotice(visit, wanted.search) : null;
    return content(
      texts.title,
      html`${pageHeader({
        title: texts.title,
        description: texts.description,
        actions: visit.may("editor")
          ? [
              buttonLink({
                label: texts.importPeople,
                href: visit.link("/imports"),
                icon: "import",
              }),
            ]
          : [],
      })}
${await stateTabs(visit, wanted)}
${await searchForm(visit, wanted, lists)}
${missing ?? (found.rows.length === 0 ? await nobody(visit, wanted, found) : await people(visit, wanted, found))}`,
    );
  },
  forms: {
    search: {
      submit: async (visit) => {
        const given = (name: string): string | null => visit.form.text(name).trim() || null;
        const wanted: Wanted = {
          search: given("search"),
          name: given("name"),
          state: (await wantedIn(visit)).state,
          list: visit.form.id("list"),
        };
        // Finds out whether the search is valid; what is wrong is shown beside its field.
        await visit.perform(findSubscribers, { account: visit.account.id, ...wanted, limit: 1, withinMs: 0 });
        return redirect(await addressFor(visit, PATH, wanted));
      },
    },
    choose: {
      submit: async (visit) => {
        if (visit.form.text("whom") === "all")
          return redirect(await addressFor(visit, CHANGE_PATH, await wantedIn(visit)));
        const ids = visit.form.ids("id");
        if (ids.length === 0) throw new FormRefused({ message: texts.nothingSelected });
        return redirect(visit.link(`/subscribers/change?ids=${ids.join("-")}`));
      },
    },
  },
});

async function stateTabs(visit: Here, wanted: Wanted): Promise<Html> {
  const number = (count: number): string => visit.formats.number(count);
  const isPlain = isEverybody({ ...wanted, state: null });
  const counts = isPlain ? await visit.perform(countStates, { account: visit.account.id }) : null;
  const countOf = (state: State | null): string | null => {
    if (counts === null) return null;
    return number(state === null ? states.reduce((sum, each) => sum + counts[each], 0) : counts[state]);
  };
  const all = [null, ...states].map(async (state) => ({
    label: state === null ? texts.all : texts.states[state],
    href: await addressFor(visit, PATH, { ...wanted, state }),
    isCurrent: state === wanted.state,
    count: countOf(state),
  }));
  return tabs(texts.tabs, await Promise.all(all));
}

async function searchForm(visit: Here, wanted: Wanted, lists: readonly List[]): Promise<Html> {
  const shown = visit.shown("search");
  const isSearch = wanted.search !== null || wanted.name !== null || wanted.list !== null;
  return formOf("search", {
    shown,
    look: "inline-form",
    body: html`${textField({
      name: "search",
      label: texts.search,
      type: "search",
      value: shown.value("search", wanted.search ?? ""),
      error: shown.problem("search"),
      placeholder: texts.searchExample,
      isOptional: true,
    })}${textField({
      name: "name",
      label: texts.name,
      type: "search",
      value: shown.value("name", wanted.name ?? ""),
      error: shown.problem("name"),
      placeholder: texts.nameExample,
      isOptional: true,
    })}${selectField({
      name: "list",
      label: texts.list,
      value: shown.value("list", wanted.list === null ? "" : String(wanted.list)),
      error: shown.problem("list"),
      options: [
        { value: "", label: texts.anyList },
        ...lists.map(({ id, name }) => ({ value: String(id), label: name })),
      ],
      isOptional: true,
    })}${buttonRow(
      button({ label: texts.find, icon: "search" }),
      ...(isSearch
        ? [
            buttonLink({
              label: texts.clear,
              href: await addressFor(visit, PATH, {
                search: null,
                name: null,
                list: null,
                state: wanted.state,
              }),
              emphasis: "quiet",
            }),
          ]
        : []),
    )}`,
  });
}

async function people(visit: Here, wanted: Wanted, found: FoundSubscribers): Promise<Html> {
  const { formats } = visit;
  const links = objectLinks(visit);
  const mayChange = visit.may("editor");
  const rows = table({
    caption: texts.title,
    rows: found.rows,
    href: ({ id }) => links.subscriber(id),
    columns: [
      { label: texts.address, cell: ({ address }) => address },
      {
        label: texts.name,
        cell: ({ firstName, lastName }) => `${firstName} ${lastName}`.trim(),
        isTyped: true,
      },
      { label: texts.state, cell: ({ state }) => stateBadge(state) },
      { label: texts.lists, cell: ({ lists }) => formats.number(lists), isNumber: true },
      { label: texts.since, cell: ({ knownSince }) => formats.dateElement(knownSince), isMinor: true },
    ],
    selection: mayChange
      ? { name: "id", value: ({ id }) => String(id), label: ({ address }) => texts.select(address) }
      : null,
  });
  const pages = await neighbours(visit, wanted, found);
  if (!mayChange) return html`${rows}${pages}`;
  const shown = visit.shown("choose");
  const buttons = buttonRow(
    button({ label: texts.changeSelected, name: "whom", value: "selected" }),
    button({ label: texts.changeAll, name: "whom", value: "all" }),
  );
  return formOf("choose", { shown, look: "plain", body: html`${rows}${pages}${buttons}` });
}

async function neighbours(visit: Here, wanted: Wanted, found: FoundSubscribers): Promise<Html> {
  const { next, previous, rows, searched } = found;
  const at = (more: Readonly<Record<string, string>>) => addressFor(visit, PATH, wanted, more);
  const count = rows.length === 1 ? texts.shownOne : texts.shown(visit.formats.number(rows.length));
  return pager({
    text: searched === null ? count : `${count}. ${texts.searchOn(visit.formats.number(searched))}`,
    previous: previous === null ? null : await at({ before: previous }),
    next: next === null ? null : await at({ after: next }),
  });
}

async function nobody(visit: Here, wanted: Wanted, found: FoundSubscribers): Promise<Html> {
  const { next, searched } = found;
  if (next !== null)
    return emptyState({
      title: texts.nobodySoFarTitle,
      text: texts.nobodySoFarText(visit.formats.number(searched ?? 0)),
      icon: "search",
      actions: [
        buttonLink({ label: texts.next, href: await addressFor(visit, PATH, wanted, { after: next }) }),
      ],
    });
  if (!isEverybody(wanted))
    return emptyState({ title: texts.nobodyTitle, text: texts.nobodyText, icon: "search" });
  return emptyState({
    title: texts.emptyTitle,
    text: texts.emptyText,
    icon: "people",
    actions: visit.may("editor")
      ? [buttonLink({ label: texts.importPeople, href: visit.link("/imports"), emphasis: "primary" })]
      : [],
  });
}
