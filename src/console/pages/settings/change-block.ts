/** Asks before a block is added or removed: whom it touches, and what happens. */
import { addBlock, previewBlock, removeBlock } from "#admin/blocks.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation } from "#html/components/feedback.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { NoSuchPage } from "../../kit/failures.ts";
import type { Formats } from "../../kit/formats.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./blocks.texts.ts";
import { placeOf } from "./place.ts";

export const ADD_PATH = "/{account}/settings/blocks/add";
export const REMOVE_PATH = "/{account}/settings/blocks/remove";
type ChangeVisit = Visit<typeof ADD_PATH> | Visit<typeof REMOVE_PATH>;

/** From the address of the page. */
async function patternOf({ filter }: ChangeVisit): Promise<string> {
  const { pattern } = await filter();
  if (pattern === undefined) throw new NoSuchPage();
  return pattern;
}

function coveredText(count: number, isMore: boolean, { number }: Formats): string {
  if (isMore) return texts.atLeast(number(count));
  if (count === 0) return texts.nobody;
  return count === 1 ? texts.oneCovered : texts.covered(number(count));
}

interface Question {
  readonly question: (pattern: string) => string;
  readonly consequences: readonly string[];
  readonly label: string;
  readonly isDangerous: boolean;
}

async function ask(
  visit: ChangeVisit,
  { question, consequences, label, isDangerous }: Question,
): Promise<Html> {
  const { perform, account, formats, shown } = visit;
  const pattern = await patternOf(visit);
  const { count, isMore } = await perform(previewBlock, { account: account.id, pattern });
  const back = placeOf(visit).at("/blocks");
  return html`${pageHeader({ title: texts.title, parent: { label: texts.title, href: back } })}
${confirmation({
  title: question(pattern),
  affected: coveredText(count, isMore, formats),
  consequences,
  isDangerous,
  body: formOf("change", {
    shown: shown("change"),
    body: buttonRow(
      button({ label, emphasis: isDangerous ? "danger" : "primary" }),
      buttonLink({ label: texts.cancel, href: back }),
    ),
  }),
})}`;
}

export const addBlockPage = page({
  path: ADD_PATH,
  role: "editor",
  show: async (visit) =>
    content(
      texts.addTitle,
      await ask(visit, {
        question: texts.addQuestion,
        consequences: texts.addConsequences,
        label: texts.add,
        isDangerous: true,
      }),
    ),
  forms: {
    change: {
      submit: async (visit) => {
        const pattern = await patternOf(visit);
        const added = await visit.perform(addBlock, { account: visit.account.id, pattern });
        const said = added.job !== null ? texts.addedByJob : added.isNew ? texts.added : texts.existed;
        return redirect(placeOf(visit).at("/blocks"), said(pattern));
      },
    },
  },
});

export const removeBlockPage = page({
  path: REMOVE_PATH,
  role: "editor",
  show: async (visit) =>
    content(
      texts.removeNow,
      await ask(visit, {
        question: texts.removeQuestion,
        consequences: texts.removeConsequences,
        label: texts.removeNow,
        isDangerous: false,
      }),
    ),
  forms: {
    change: {
      submit: async (visit) => {
        const pattern = await patternOf(visit);
        const { job } = await visit.perform(removeBlock, { account: visit.account.id, pattern });
        const said = job === null ? texts.removed : texts.removedByJob;
        return redirect(placeOf(visit).at("/blocks"), said(pattern));
      },
    },
  },
});
