/** `/console/{account}/settings/blocks`: the block list. A change is asked for on a page of its own. */
import { addBlock, listBlocks, previewBlock, removeBlock } from "#admin/blocks.ts";
import { button } from "#html/components/buttons.ts";
import { textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { NoSuchPage } from "../../kit/errors.ts";
import { doing } from "../../kit/form.ts";
import { confirmPage, formOf } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { pagedTable, withQuery } from "../../kit/listing.ts";
import { type PageContext, page, redirect } from "../../kit/page.ts";
import { settingsContent, settingsLink } from "./settings-header.ts";

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

/** What a block covers; the pattern is in the encrypted filter of the address. */
async function covered(context: ChangeContext) {
  const pattern = await patternOf(context);
  const { performHere, formats } = context;
  const { count, isMore } = await performHere(previewBlock, { pattern });
  const parent = { label: blocksTexts.title, href: settingsLink(context, "/blocks") };
  return { pattern, parent, affected: coveredText(count, isMore, formats) };
}

const addBlockPage = confirmPage({
  path: ADD_PATH,
  role: "editor",
  form: "change",
  show: async (context) => {
    const { pattern, ...shown } = await covered(context);
    return {
      ...shown,
      title: blocksTexts.addTitle,
      question: `Block ${pattern}?`,
      consequences: [
        "They get no mail from now on. For many subscribers, a job does this within minutes.",
        "Calls and imports that add such an address are refused as blocked.",
        "Nothing is deleted. When the block is removed, they get mail again.",
      ],
      isDangerous: true,
      confirm: "Block",
    };
  },
  submit: async (context) => {
    const pattern = await patternOf(context);
    const { job, isNew } = await context.performHere(addBlock, { pattern });
    const said = isNew ? `${pattern} is blocked.` : `${pattern} was blocked already.`;
    return redirect(
      settingsLink(context, "/blocks"),
      job === null ? said : `${pattern} is blocked. A job applies this to the subscribers.`,
    );
  },
});

const removeBlockPage = confirmPage({
  path: REMOVE_PATH,
  role: "editor",
  form: "change",
  show: async (context) => {
    const { pattern, ...shown } = await covered(context);
    return {
      ...shown,
      title: blocksTexts.removeNow,
      question: `Remove the block of ${pattern}?`,
      consequences: [
        "Subscribers who have no other suppression become active again, on the same lists.",
        "Calls and imports can add such an address again.",
        "Subscribers who unsubscribed, bounced or complained stay suppressed.",
      ],
      isDangerous: false,
      confirm: blocksTexts.removeNow,
    };
  },
  submit: async (context) => {
    const pattern = await patternOf(context);
    const { job } = await context.performHere(removeBlock, { pattern });
    return redirect(
      settingsLink(context, "/blocks"),
      job === null
        ? `${pattern} is no longer blocked.`
        : `${pattern} is no longer blocked. A job makes the subscribers active again.`,
    );
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
  const { formats, may, path, list } = context;
  const found = await list(listBlocks, { limit: PAGE });
  const removal = ({ pattern }: { readonly pattern: string }): Html =>
    html`<form method="post" aria-label="Remove ${pattern}">${doing("ask")}${button({
      label: "Remove",
      emphasis: "quiet",
      name: "pattern",
      value: pattern,
    })}</form>`;
  return pagedTable({ path }, found, {
    caption: blocksTexts.title,
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
    text: (count) => formats.count(count, "entry", "entries"),
    empty: {
      title: "Nothing is blocked",
      text: "Block an address or a whole domain, such as that of a competitor or of throw-away addresses, to keep it off all lists.",
      icon: "block",
    },
  });
}

/** A pattern can be the address of a person, so it is encrypted in the address of the page that asks. */
const asking =
  (declared: typeof ADD_PATH | typeof REMOVE_PATH) =>
  async ({ performHere, form, link, encrypt }: BlocksContext) => {
    const { pattern } = await performHere(previewBlock, { pattern: form.text("pattern") });
    const filter = await encrypt({ pattern }, declared);
    return redirect(withQuery(link(declared.replace("/{account}", "")), { filter }));
  };

const blocksPage = page({
  path: PATH,
  role: "viewer",
  show: async (context) =>
    settingsContent(
      context,
      "/blocks",
      blocksTexts.title,
      html`<p class="description">A blocked address cannot be added to a list. Subscribers with such an address get no mail.</p>
${context.may("editor") ? addForm(context) : null}
${section("Blocked", await blockTable(context))}`,
    ),
  forms: {
    check: asking(ADD_PATH),
    ask: asking(REMOVE_PATH),
  },
});

export const blockPages = [blocksPage, addBlockPage, removeBlockPage];
