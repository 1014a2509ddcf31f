/** `/console/{account}/settings/blocks`: the block list. A change is asked for on a page of its own. */
import { listBlocks, previewBlock } from "#admin/blocks.ts";
import { button } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { neighbours, withQuery } from "../../kit/addresses/query.ts";
import { doing } from "../../kit/forms/form.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./blocks.texts.ts";
import { ADD_PATH, REMOVE_PATH } from "./change-block.ts";
import { placeOf } from "./place.ts";

const PATH = "/{account}/settings/blocks";
type BlocksVisit = Visit<typeof PATH>;
const PAGE = 50;

function addForm({ shown }: BlocksVisit): Html {
  const form = shown("check");
  return section(
    texts.addTitle,
    formOf("check", {
      shown: form,
      body: html`${textField({
        name: "pattern",
        label: texts.pattern,
        hint: texts.patternHint,
        value: form.value("pattern"),
        error: form.problem("pattern"),
      })}<div class="buttons">${button({ label: texts.check })}</div>`,
    }),
  );
}

async function blockTable(visit: BlocksVisit): Promise<Html> {
  const { account, formats, may, path, list } = visit;
  const { rows, next, previous } = await list(listBlocks, { account: account.id, limit: PAGE });
  if (rows.length === 0 && next === null && previous === null)
    return emptyState({ title: texts.emptyTitle, text: texts.emptyText, icon: "block" });
  const removal = ({ pattern }: { readonly pattern: string }): Html =>
    html`<form method="post" aria-label="${texts.removeLabel(pattern)}">${doing("ask")}${button({
      label: texts.remove,
      emphasis: "quiet",
      name: "pattern",
      value: pattern,
    })}</form>`;
  return html`${table({
    caption: texts.title,
    rows,
    columns: [
      { label: texts.pattern, cell: ({ pattern }) => pattern },
      {
        label: texts.kind,
        cell: ({ pattern }) => (pattern.startsWith("@") ? texts.wholeDomain : texts.oneAddress),
        isMinor: true,
      },
      { label: texts.since, cell: ({ createdAt }) => formats.date(createdAt) },
    ],
    ...(may("editor") ? { actions: removal } : {}),
  })}${pager({
    text: texts.shown(formats.number(rows.length)),
    ...neighbours(path, { previous, next }),
  })}`;
}

/** A pattern can be the address of a person, so it is encrypted in the address of the page that asks. */
const asking =
  (declared: typeof ADD_PATH | typeof REMOVE_PATH) =>
  async ({ perform, account, form, link, seal }: BlocksVisit) => {
    const { pattern } = await perform(previewBlock, { account: account.id, pattern: form.text("pattern") });
    const filter = await seal({ pattern }, declared);
    return redirect(withQuery(link(declared.replace("/{account}", "")), { filter }));
  };

export const blocksPage = page({
  path: PATH,
  role: "viewer",
  show: async (visit) =>
    content(
      texts.title,
      html`${placeOf(visit).top("/blocks")}
<p class="description">${texts.explained}</p>
${visit.may("editor") ? addForm(visit) : null}
${section(texts.listTitle, await blockTable(visit))}`,
    ),
  forms: {
    check: { submit: asking(ADD_PATH) },
    ask: { submit: asking(REMOVE_PATH) },
  },
});
