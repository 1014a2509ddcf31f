/** `/console/{account}/campaigns/new` and `…/{campaign}/edit`: composes a campaign, and changes a draft. */

import {
  composeCampaign,
  duplicateCampaign,
  type GivenContent,
  listLayouts,
  type ShownLayout,
  setContent,
  showContent,
} from "#admin/campaigns/compose.ts";
import { listFields } from "#admin/fields.ts";
import { listLists } from "#admin/lists.ts";
import { listSenders } from "#admin/senders/senders.ts";
import type { Field } from "#domain/field/field.ts";
import type { List } from "#domain/list.ts";
import {
  type CampaignContent,
  type ComposedCampaign,
  copyName,
  emptyContent,
  isEditable,
} from "#domain/sending/mailing.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { type Option, radioGroup, selectField, textArea, textField } from "#html/components/fields.ts";
import { type Html, html, trusted } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { editorModule } from "#html/served-assets.ts";
import { type Form, type FormState, hidden, VERSION } from "../../kit/form.ts";
import { formPage, type ShownFields } from "../../kit/form-html.ts";
import { allRows } from "../../kit/listing.ts";
import { content, type PageContext, type Redirect, redirect } from "../../kit/page.ts";
import { nameOf } from "../senders/senders.ts";
import { audienceFields, audienceIn, countPage } from "./audience.ts";
import { addressOf, ofCampaign } from "./campaign-header.ts";
import { draftPreviewPages, kinds, mergeFieldsPart, messageIn, previewPart } from "./draft-preview.ts";

type ContentKind = (typeof kinds)[number];
const kindTexts: Readonly<Record<ContentKind, Pick<Option, "label" | "hint">>> = {
  markdown: { label: "Markdown", hint: "Text with simple formatting, in one of Mailroll’s layouts." },
  html: {
    label: "HTML",
    hint: "Your own document. It needs {{ postal_address }} and a link to {{ unsubscribe_url }}.",
  },
  text: {
    label: "Plain text",
    hint: "Without any formatting. It needs {{ postal_address }} and {{ unsubscribe_url }}.",
  },
};
/** What the form offers. */
interface Choices {
  readonly senders: readonly Sender[];
  readonly lists: readonly List[];
  readonly fields: readonly Field[];
  readonly layouts: readonly ShownLayout[];
}
type AccountContext = PageContext<"/{account}">;

async function choicesOf(context: Pick<AccountContext, "performHere">): Promise<Choices> {
  return {
    senders: await allRows(context, listSenders),
    lists: await allRows(context, listLists),
    fields: await allRows(context, listFields),
    layouts: await context.performHere(listLayouts, {}),
  };
}

const kindOf = ({ html: own, markdown, text }: CampaignContent): ContentKind =>
  own !== null ? "html" : markdown === null && text !== null ? "text" : "markdown";

/** `content`: null for a new campaign. Without a script, too, a style hides what was not chosen. */
async function contentFields(
  context: Pick<AccountContext, "formats" | "link" | "may" | "performHere">,
  form: FormState,
  choices: Choices,
  { name, content }: { readonly name: string; readonly content: CampaignContent | null },
): Promise<Html> {
  const stored = content ?? emptyContent;
  const field = (of: string, value: string | null) => form.field(of, value ?? "");
  const module = await editorModule();
  return html`${textField({
    ...field("name", name),
    label: "Name",
    placeholder: "e.g. Spring offers",
    hint: "Recipients do not see it.",
  })}${senderField(context, form, choices.senders, stored)}
<h2>Recipients</h2>
${await audienceFields(context, form, choices.lists, stored)}
<h2>Message</h2>
${textField({ ...field("subject", stored.subject), label: "Subject", isOptional: true, takesMergeFields: true })}${textField(
  {
    ...field("preheader", stored.preheader),
    label: "Preheader",
    hint: "Mail programs show it beside the subject, before the message is opened.",
    isOptional: true,
    takesMergeFields: true,
  },
)}
<div class="written">${radioGroup({
    ...field("kind", kindOf(stored)),
    label: "Write it as",
    options: kinds.map((value) => ({ value, ...kindTexts[value] })),
  })}<div data-kind="markdown">${radioGroup({
    ...field("layout", stored.layout ?? choices.layouts[0]?.name ?? ""),
    label: "Layout",
    hint: "Each has the sender's postal address and the unsubscribe link.",
    options: choices.layouts.map((one) => ({
      value: one.name,
      label: `${one.name.charAt(0).toUpperCase()}${one.name.slice(1)}`,
      hint: one.description,
    })),
  })}${textArea({
    ...field("markdown", stored.markdown),
    label: "Markdown",
    hint: "Such as # Heading, **bold**, [link](https://example.org) and - lists.",
    editor: module === null ? null : { language: "markdown", module },
    rows: 16,
    isOptional: true,
  })}</div><div data-kind="html">${textArea({
    ...field("html", stored.html),
    label: "HTML",
    hint: "Styles in a <style> element are inlined.",
    editor: module === null ? null : { language: "html", module },
    rows: 16,
    isOptional: true,
  })}</div>${textArea({
    ...field("text", stored.text),
    label: "Plain text",
    hint: "For mail programs that do not show HTML. If empty, it is made from the message.",
    rows: 8,
    isOptional: true,
    takesMergeFields: true,
  })}</div>
${mergeFieldsPart(
  context,
  choices.fields.map((one) => one.name),
)}`;
}

/**
 * The form, beside it the message, and below both a bar that stays in view. `campaign` null: the draft was
 * not saved yet, so there is nothing that a script could save by itself.
 */
async function composer(
  context: AccountContext,
  form: FormState,
  written: { readonly name: string; readonly content: CampaignContent | null },
  campaign: number | null,
): Promise<Pick<ShownFields, "look" | "fields">> {
  const choices = await choicesOf(context);
  const fields = await contentFields(context, form, choices, written);
  const other = campaign !== null && form.isRefused ? conflict(context, choices, written) : null;
  const saves = other !== null ? "conflict" : campaign === null ? "new" : "draft";
  return {
    look: "composer",
    fields: (buttons) => html`${other}<div class="form">${fields}</div>
${previewPart(context, campaign)}
<div class="composer-bar">${buttons}<p class="save-state" role="status" data-save-state="${saves}"${form.isRefused ? trusted(" data-unsaved") : null}>${
      campaign === null ? "Not saved yet." : null
    }</p>${campaign === null ? null : html`<a href="${addressOf(context, campaign)}/versions">Versions</a>`}</div>`,
  };
}

/** What somebody else has saved meanwhile, beside what was typed here; null: nobody has saved anything. */
function conflict(
  { form, path }: Pick<AccountContext, "form" | "path">,
  { senders, lists }: Choices,
  { name, content: stored }: { readonly name: string; readonly content: CampaignContent | null },
): Html | null {
  if (stored === null || form.text(VERSION) === versionOf("campaign content", { ...stored, name }))
    return null;
  const typed = { ...messageIn(form), lists: form.ids("lists"), excludedLists: form.ids("excludedLists") };
  const sender = (id: number | null | undefined): string =>
    senders
      .filter((one) => one.id === id)
      .map(nameOf)
      .join("");
  const listed = (ids: readonly number[]): string =>
    lists
      .filter(({ id }) => ids.includes(id))
      .map((one) => one.name)
      .join("\n");
  const parts: readonly (readonly [
    label: string,
    theirs: string | null,
    yours: string | null | undefined,
  ])[] = [
    ["Name", name, form.text("name")],
    ["Sender", sender(stored.sender), sender(typed.sender)],
    ["Lists", listed(stored.lists), listed(typed.lists)],
    ["Excluded lists", listed(stored.excludedLists), listed(typed.excludedLists)],
    ["Subject", stored.subject, typed.subject],
    ["Preheader", stored.preheader, typed.preheader],
    ["Layout", stored.layout, typed.layout],
    ["Markdown", stored.markdown, typed.markdown],
    ["HTML", stored.html, typed.html],
    ["Plain text", stored.text, typed.text],
  ];
  return html`<section class="conflict" aria-labelledby="conflict-title"><h2 id="conflict-title">What differs</h2>${parts.map(
    ([label, theirs, yours]) => comparison(label, theirs ?? "", yours ?? ""),
  )}<div class="buttons">${button({ label: "Save mine" })}${buttonLink({ label: "Take theirs", href: path })}</div></section>`;
}

/** Two texts side by side, with the lines marked that only one of them has. */
function comparison(label: string, theirs: string, yours: string): Html | null {
  if (theirs === yours) return null;
  const side = (whose: string, text: string, other: string): Html => {
    const known = new Set(other.split("\n"));
    const lines = text
      .split("\n")
      .map((line) => (known.has(line) ? html`${line}\n` : html`<mark>${line}</mark>\n`));
    return html`<div><h4>${whose}</h4><pre tabindex="0" role="group" aria-label="${`${label}: ${whose}`}">${text === "" ? "(empty)" : lines}</pre></div>`;
  };
  return html`<h3>${label}</h3><div class="columns">${side("Saved by somebody else", theirs, yours)}${side("Yours", yours, theirs)}</div>`;
}

function senderField(
  { link, may }: Pick<AccountContext, "link" | "may">,
  form: FormState,
  senders: readonly Sender[],
  { sender }: CampaignContent,
): Html {
  const to = html`<a href="${link("/settings/senders")}">Go to the senders</a>`;
  if (senders.length === 0)
    return notice(
      "info",
      "There is no sender yet",
      html`A sender says who the campaign is from. You can write the campaign now, and choose its sender later. ${may("owner") ? to : "A user with the role owner can create one."}`,
    );
  return selectField({
    ...form.field("sender", String(sender ?? senders[0]?.id ?? "")),
    label: "Sender",
    options: [
      ...senders.map((one) => ({ value: String(one.id), label: nameOf(one) })),
      { value: "", label: "Choose later" },
    ],
    isOptional: true,
  });
}

/** Throws FormRefused. */
const contentIn = (form: Form): GivenContent => ({ ...messageIn(form), ...audienceIn(form) });

/** Where a button leads to after saving. */
const nextPages = ["preview", "send", "edit"];
/** The script saves and stays on the page: it needs the version that it has saved. */
const STAY = "stay";
const saveAnd = ({ may }: Pick<AccountContext, "may">): readonly Html[] => [
  button({ label: "Save and preview", name: "next", value: "preview" }),
  button({ label: may("owner") ? "Check and send" : "Check", name: "next", value: "send" }),
];

const whereNext = (context: Pick<PageContext, "link">, form: Form, id: number, notice: string): Redirect => {
  const next = nextPages.find((one) => one === form.text("next"));
  return redirect(`${addressOf(context, id)}${next === undefined ? "" : `/${next}`}`, notice);
};

/**
 * A message may be longer than the bodies of other forms: so both pages take as much as pages with a file.
 */
const composePage = formPage({
  path: "/{account}/campaigns/new",
  role: "editor",
  takesFile: true,
  form: "create",
  show: async (context, form) => ({
    title: "New campaign",
    parent: { label: "Campaigns", href: context.link("/campaigns") },
    description:
      "It is saved as a draft. Only the name is needed now; before it is sent, checks say what is missing.",
    isIdempotent: true,
    ...(await composer(context, form, { name: "", content: null }, null)),
    save: "Save draft",
    others: saveAnd(context),
  }),
  submit: async (context) => {
    const { performHere, form } = context;
    const made = await performHere(composeCampaign, { name: form.text("name"), ...contentIn(form) });
    return whereNext(context, form, made.campaign.id, "The draft is saved.");
  },
});

const savedVersion = ({ content: saved, campaign: { name } }: ComposedCampaign): string =>
  versionOf("campaign content", { ...saved, name });

const editContentPage = formPage({
  path: "/{account}/campaigns/{campaign}/edit",
  role: "editor",
  takesFile: true,
  form: "edit",
  show: async (context, form) => {
    const found = await context.performHere(showContent, ofCampaign(context));
    const { id, name } = found.campaign;
    const back = addressOf(context, id);
    if (!isEditable(found.mailing.state) && !form.isRefused) return redirect(back);
    return {
      title: `Edit ${quoted(name)}`,
      parent: { label: name, href: back },
      version: savedVersion(found),
      ...(await composer(context, form, { name, content: found.content }, id)),
      save: "Save",
      cancel: "Close",
      others: saveAnd(context),
    };
  },
  submit: async (context) => {
    const { performHere, form } = context;
    const of = ofCampaign(context);
    const saved = await performHere(setContent, { ...of, name: form.text("name"), ...contentIn(form) });
    if (form.text("next") === STAY)
      return content("Saved", html`<div data-saved>${hidden(VERSION, savedVersion(saved))}</div>`);
    return whereNext(context, form, of.campaign, "The draft is saved.");
  },
});

/** `…/{campaign}/duplicate`: asks for the name of the copy, which is then open to be edited. */
const duplicatePage = formPage({
  path: "/{account}/campaigns/{campaign}/duplicate",
  role: "editor",
  form: "duplicate",
  show: async (context, form) => {
    const { campaign } = await context.performHere(showContent, ofCampaign(context));
    return {
      title: `Duplicate ${quoted(campaign.name)}`,
      parent: { label: campaign.name, href: addressOf(context, campaign.id) },
      description: "The copy is a draft with the same message, sender and lists. Nothing is sent.",
      isIdempotent: true,
      fields: textField({
        ...form.field("name", copyName(campaign.name)),
        label: "Name of the copy",
        hint: "Recipients do not see it.",
      }),
      save: "Duplicate",
    };
  },
  submit: async (context) => {
    const { performHere, form } = context;
    const made = await performHere(duplicateCampaign, { ...ofCampaign(context), name: form.text("name") });
    return redirect(`${addressOf(context, made.campaign.id)}/edit`, "The copy is saved as a draft.");
  },
});

export const composePages = [composePage, editContentPage, duplicatePage, countPage, ...draftPreviewPages];
