/**
 * `/console/{account}/search`: what the field at the top finds. It is posted, and leads on to the page of the
 * only thing that is exactly what was typed, to this page with the text encrypted in its address or, if
 * nothing begins with the text, to the search among the subscribers: only that one finds people by name.
 */

import { MAX_FOUND, searchEverything } from "#admin/search-everything.ts";
import { parseAddressSearch } from "#domain/subscriber/search.ts";
import { stateBadge } from "#html/components/badge.ts";
import { buttonLink, buttonRow } from "#html/components/buttons.ts";
import { emptyState, notice } from "#html/components/feedback.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { type Table, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { withQuery } from "../kit/listing.ts";
import { type Content, type PageContext, page, redirect } from "../kit/page.ts";
import { addressFor, SUBSCRIBERS_PATH } from "./subscribers/filter.ts";

const searchTexts = {
  title: "Search",
  askText:
    "Type the beginning of an address or of the name of a list, campaign or API key, or the number of a refused call. Press / to jump to the search field.",
};

/** Where a search leads: to the only thing that is exactly what was typed, if there is one. */
type SearchContext = PageContext<"/{account}/search">;
type Found = Awaited<ReturnType<(typeof searchEverything)["run"]>>;

/** The path in the account; null: nothing, or several things, are exactly that. */
function onlyMatch(found: Found, typed: string): string | null {
  const text = typed.trim().toLowerCase();
  const is = (...names: readonly string[]): boolean => names.some((name) => name.toLowerCase() === text);
  const paths = [
    ...found.subscribers.filter(({ address }) => is(address)).map(({ id }) => `/subscribers/${id}`),
    ...found.lists.filter(({ name }) => is(name)).map(({ id }) => `/lists/${id}`),
    ...found.campaigns.filter(({ name }) => is(name)).map(({ id }) => `/campaigns/${id}`),
    ...found.keys.filter(({ label, hint }) => is(label, hint)).map(({ id }) => `/integrations/${id}`),
    ...(found.refusedCall === null ? [] : [`/refused-calls/${found.refusedCall.id}`]),
  ];
  return paths.length === 1 ? (paths[0] ?? null) : null;
}

const isNothing = ({ subscribers, lists, campaigns, keys, refusedCall }: Found): boolean =>
  refusedCall === null && [subscribers, lists, campaigns, keys].every((rows) => rows.length === 0);

/** What a search has found, by kind. */
const part = <Row>(title: string, given: Omit<Table<Row>, "caption">): Html | null =>
  given.rows.length === 0 ? null : section(title, table({ ...given, caption: title }));

function results({ formats, link, now }: SearchContext, found: Found): Html {
  const { subscribers, lists, campaigns, keys, refusedCall } = found;
  return html`${part("Subscribers", {
    rows: subscribers,
    href: ({ id }) => link(`/subscribers/${id}`),
    columns: [
      { label: "Address", cell: ({ address }) => address },
      { label: "State", cell: ({ state }) => stateBadge(state) },
    ],
  })}${part("Lists", {
    rows: lists,
    href: ({ id }) => link(`/lists/${id}`),
    columns: [
      { label: "List", cell: ({ name }) => name },
      { label: "Active members", cell: ({ members }) => formats.number(members), isNumber: true },
    ],
  })}${part("Campaigns", {
    rows: campaigns,
    href: ({ id }) => link(`/campaigns/${id}`),
    columns: [
      { label: "Campaign", cell: ({ name }) => name },
      {
        label: "Sent",
        cell: ({ sentAt }) => (sentAt === null ? "not sent" : formats.time(sentAt)),
      },
    ],
  })}${part("Integrations", {
    rows: keys,
    href: ({ id }) => link(`/integrations/${id}`),
    columns: [
      { label: "API key", cell: ({ label, hint }) => (label === "" ? `Key ${hint}…` : label) },
      { label: "Begins with", cell: ({ hint }) => html`<code>${hint}</code>` },
      {
        label: "Last call",
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : formats.ago(lastUsedAt, now)),
      },
    ],
  })}${part("Refused calls", {
    rows: refusedCall === null ? [] : [refusedCall],
    href: ({ id }) => link(`/refused-calls/${id}`),
    columns: [
      { label: "Refused call", cell: ({ id }) => `Refused call ${String(id)}` },
      { label: "Operation", cell: ({ operation }) => operation },
      { label: "Last time", cell: ({ lastAt }) => formats.time(lastAt) },
    ],
  })}`;
}

/** The same text among the subscribers: a name, unless it looks like a part of an address. */
function amongSubscribers(context: SearchContext, text: string): Promise<string> {
  const isAddress = text.includes("@") && parseAddressSearch(text) !== null;
  const wanted = isAddress ? { search: text, name: null } : { search: null, name: text };
  return addressFor(context, SUBSCRIBERS_PATH, { ...wanted, state: null, list: null, filter: [] });
}

const shownPage = (searched: string, body: Html): Content => ({
  kind: "content",
  title: searchTexts.title,
  searched,
  body,
});

const unasked = (): Html =>
  html`${pageHeader({ title: searchTexts.title })}${emptyState({ title: "What are you looking for?", text: searchTexts.askText, icon: "search" })}`;

async function show(context: SearchContext): Promise<Content> {
  const shown = context.formState("submit");
  const problem = shown.problem("q") ?? shown.message;
  if (problem !== null)
    return shownPage(
      shown.value("q"),
      html`${pageHeader({ title: searchTexts.title })}${notice("bad", problem, searchTexts.askText)}`,
    );
  const { text } = await context.filter();
  if (text === undefined) return shownPage("", unasked());
  const found = await context.performHere(searchEverything, { text });
  const subscribers = buttonLink({
    label: `Search subscribers for ${quoted(text)}`,
    href: await amongSubscribers(context, text),
    icon: "search",
  });
  if (!isNothing(found))
    return shownPage(
      text,
      html`${pageHeader({
        title: `Results for ${quoted(text)}`,
        description: `Up to ${context.formats.number(MAX_FOUND)} of each kind.`,
      })}${results(context, found)}${buttonRow(subscribers)}`,
    );
  const nothing = emptyState({
    title: `Nothing begins with ${quoted(text)}`,
    text: "This search covers addresses, lists, campaigns, API keys and refused calls. To find people by name or domain, search among the subscribers.",
    icon: "search",
    actions: [subscribers],
  });
  return shownPage(text, html`${pageHeader({ title: searchTexts.title })}${nothing}`);
}

export const searchPage = page({
  path: "/{account}/search",
  show,
  forms: {
    submit: {
      submit: async (context) => {
        const { form, link, path } = context;
        const text = form.text("q").trim();
        if (text === "") return redirect(path);
        const found = await context.performHere(searchEverything, { text });
        const only = onlyMatch(found, text);
        if (only !== null) return redirect(link(only));
        if (isNothing(found)) return redirect(await amongSubscribers(context, text));
        return redirect(withQuery(path, { filter: await context.encrypt({ text }) }));
      },
      inputs: { text: "q" },
    },
  },
});
