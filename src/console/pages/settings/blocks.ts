/** `/console/{account}/settings/blocks`: the block list. A change is asked for on a page of its own. */
import { addBlock, listBlocks, previewBlock, removeBlock } from "#admin/blocks.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation, emptyState } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { NoSuchPage } from "../../kit/failures.ts";
import { doing } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { neighbours, withQuery } from "../../kit/listing.ts";
import { content, type PageContext, page, redirect } from "../../kit/page.ts";
import { settingsHeader } from "./settings-header.ts";

const blocksTexts = {
  title: "Block list",
  pattern: "Address or domain",
  addTitle: "Block an address or a domain",
  removeNow: "Remove the block",
};

/** Asks before a block is added or removed: whom it touches, and what happens. */
const ADD_PATH = "/{account}/settings/blocks/add";
const REMOVE_PATH = "/{account}/settings/blocks/remove";
type ChangeContext = PageContext<typeof ADD_PATH> | PageContext<typeof REMOVE_PATH>;

/** From the address of the page. */
async function patternOf({ filter }: ChangeContext): Promise<string> {
  const { pattern } = await filter();
  if (pattern === undefined) throw new NoSuchPage();
  return pattern;
}

function coveredText(count: number, isMore: boolean, { number }: Formats): string {
  if (isMore) return `At least ${number(count)} subscribers have such an address.`;
  if (count === 0) return "No subscriber has such an address at present.";
  return count === 1
    ? "1 subscriber has this address."
    : `${number(count)} subscribers have such an address.`;
}

interface Question {
  readonly question: (pattern: string) => string;
  readonly consequences: readonly string[];
  readonly label: string;
  readonly isDangerous: boolean;
}

async function ask(
  context: ChangeContext,
  { question, consequences, label, isDangerous }: Question,
): Promise<Html> {
  const { perform, account, formats, formState } = context;
  const pattern = await patternOf(context);
  const { count, isMore } = await perform(previewBlock, { account: account.id, pattern });
  const back = settingsHeader(context).at("/blocks");
  return html`${pageHeader({ title: blocksTexts.title, parent: { label: blocksTexts.title, href: back } })}
${confirmation({
  title: question(pattern),
  affected: coveredText(count, isMore, formats),
  consequences,
  isDangerous,
  body: formOf("change", {
    state: formState("change"),
    body: buttonRow(
      button({ label, emphasis: isDangerous ? "danger" : "primary" }),
      buttonLink({ label: "Cancel", href: back }),
    ),
  }),
})}`;
}

export const addBlockPage = page({
  path: ADD_PATH,
  role: "editor",
  show: async (context) =>
    content(
      blocksTexts.addTitle,
      await ask(context, {
        question: (pattern) => `Block ${pattern}?`,
        consequences: [
          "They get no mail from now on. For many subscribers, a job does this within minutes.",
          "Calls and imports that add such an address are refused as blocked.",
          "Nothing is deleted. When the block is removed, they get mail again.",
        ],
        label: "Block",
        isDangerous: true,
      }),
    ),
  forms: {
    change: {
      submit: async (context) => {
        const pattern = await patternOf(context);
        const { job, isNew } = await context.perform(addBlock, { account: context.account.id, pattern });
        const said = isNew ? `${pattern} is blocked.` : `${pattern} was blocked already.`;
        return redirect(
          settingsHeader(context).at("/blocks"),
          job === null ? said : `${pattern} is blocked. A job applies this to the subscribers.`,
        );
      },
    },
  },
});

export const removeBlockPage = page({
  path: REMOVE_PATH,
  role: "editor",
  show: async (context) =>
    content(
      blocksTexts.removeNow,
      await ask(context, {
        question: (pattern) => `Remove the block of ${pattern}?`,
        consequences: [
          "Subscribers who have no other suppression become active again, on the same lists.",
          "Calls and imports can add such an address again.",
          "Subscribers who unsubscribed, bounced or complained stay suppressed.",
        ],
        label: blocksTexts.removeNow,
        isDangerous: false,
      }),
    ),
  forms: {
    change: {
      submit: async (context) => {
        const pattern = await patternOf(context);
        const { job } = await context.perform(removeBlock, { account: context.account.id, pattern });
        return redirect(
          settingsHeader(context).at("/blocks"),
          job === null
            ? `${pattern} is no longer blocked.`
            : `${pattern} is no longer blocked. A job makes the subscribers active again.`,
        );
      },
    },
  },
});

const PATH = "/{account}/settings/blocks";
type BlocksContext = PageContext<typeof PATH>;
const PAGE = 50;

function addForm({ formState }: BlocksContext): Html {
  const form = formState("check");
  return section(
    blocksTexts.addTitle,
    formOf("check", {
      state: form,
      body: html`${textField({
        ...form.field("pattern"),
        label: blocksTexts.pattern,
        hint: "One address such as ada@example.org, or @example.org for every address of a domain.",
      })}<div class="buttons">${button({ label: "Continue" })}</div>`,
    }),
  );
}

async function blockTable(context: BlocksContext): Promise<Html> {
  const { account, formats, may, path, list } = context;
  const { rows, next, previous } = await list(listBlocks, { account: account.id, limit: PAGE });
  if (rows.length === 0 && next === null && previous === null)
    return emptyState({
      title: "Nothing is blocked",
      text: "Block an address or a whole domain, such as that of a competitor or of throw-away addresses, to keep it off all lists.",
      icon: "block",
    });
  const removal = ({ pattern }: { readonly pattern: string }): Html =>
    html`<form method="post" aria-label="Remove ${pattern}">${doing("ask")}${button({
      label: "Remove",
      emphasis: "quiet",
      name: "pattern",
      value: pattern,
    })}</form>`;
  return html`${table({
    caption: blocksTexts.title,
    rows,
    columns: [
      { label: blocksTexts.pattern, cell: ({ pattern }) => pattern },
      {
        label: "Covers",
        cell: ({ pattern }) => (pattern.startsWith("@") ? "Every address of the domain" : "One address"),
        isMinor: true,
      },
      { label: "Since", cell: ({ createdAt }) => formats.date(createdAt) },
    ],
    ...(may("editor") ? { actions: removal } : {}),
  })}${pager({
    text: rows.length === 1 ? "1 entry" : `${formats.number(rows.length)} entries`,
    ...neighbours(path, { previous, next }),
  })}`;
}

/** A pattern can be the address of a person, so it is encrypted in the address of the page that asks. */
const asking =
  (declared: typeof ADD_PATH | typeof REMOVE_PATH) =>
  async ({ perform, account, form, link, encrypt }: BlocksContext) => {
    const { pattern } = await perform(previewBlock, { account: account.id, pattern: form.text("pattern") });
    const filter = await encrypt({ pattern }, declared);
    return redirect(withQuery(link(declared.replace("/{account}", "")), { filter }));
  };

export const blocksPage = page({
  path: PATH,
  role: "viewer",
  show: async (context) =>
    content(
      blocksTexts.title,
      html`${settingsHeader(context).top("/blocks")}
<p class="description">A blocked address cannot be added to a list. Subscribers with such an address get no mail.</p>
${context.may("editor") ? addForm(context) : null}
${section("Blocked", await blockTable(context))}`,
    ),
  forms: {
    check: { submit: asking(ADD_PATH) },
    ask: { submit: asking(REMOVE_PATH) },
  },
});
