/**
 * `/console/{account}/search`: what the field at the top finds. It is posted, and leads on to the page of the
 * only thing that is exactly what was typed, or to this page with the text encrypted in its address.
 */
import { MAX_FOUND, searchEverything } from "#admin/search-everything.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState, notice } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { withQuery } from "../../kit/addresses/query.ts";
import { type Content, page, redirect } from "../../kit/page.ts";
import { isNothing, onlyMatch, type SearchVisit } from "./matches.ts";
import { results } from "./results.ts";
import * as texts from "./search.texts.ts";

const shownPage = (searched: string, body: Html): Content => ({
  kind: "content",
  title: texts.title,
  searched,
  body,
});

const unasked = (): Html =>
  html`${pageHeader({ title: texts.title })}${emptyState({ title: texts.ask, text: texts.askText, icon: "search" })}`;

async function show(visit: SearchVisit): Promise<Content> {
  const shown = visit.shown("submit");
  const problem = shown.problem("q") ?? shown.message;
  if (problem !== null)
    return shownPage(
      shown.value("q"),
      html`${pageHeader({ title: texts.title })}${notice("bad", problem, texts.askText)}`,
    );
  const { text } = await visit.filter();
  if (text === undefined) return shownPage("", unasked());
  const found = await visit.perform(searchEverything, { account: visit.account.id, text });
  if (!isNothing(found))
    return shownPage(
      text,
      html`${pageHeader({
        title: texts.found(text),
        description: texts.limited(visit.formats.number(MAX_FOUND)),
      })}${results(visit, found)}`,
    );
  const nothing = emptyState({
    title: texts.nothing(text),
    text: texts.nothingText,
    icon: "search",
    actions: [buttonLink({ label: texts.toSubscribers, href: visit.link("/subscribers") })],
  });
  return shownPage(text, html`${pageHeader({ title: texts.title })}${nothing}`);
}

export const searchPage = page({
  path: "/{account}/search",
  show,
  forms: {
    submit: {
      submit: async (visit) => {
        const { account, form, link, path } = visit;
        const text = form.text("q").trim();
        if (text === "") return redirect(path);
        const found = await visit.perform(searchEverything, { account: account.id, text });
        const only = onlyMatch(found, text);
        return redirect(only === null ? withQuery(path, { filter: await visit.seal({ text }) }) : link(only));
      },
      inputs: { text: "q" },
    },
  },
});
