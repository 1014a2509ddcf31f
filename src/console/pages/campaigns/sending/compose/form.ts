/** The form of a draft, and what it contains. Without a script, too: a style hides what was not chosen. */
import { listLayouts, type ShownLayout } from "#admin/campaigns/sending/compose.ts";
import type { GivenContent } from "#admin/campaigns/sending/content.ts";
import { listFields } from "#admin/fields.ts";
import { listLists } from "#admin/lists.ts";
import { listSenders } from "#admin/senders/senders.ts";
import { allRows } from "#console/kit/all-rows.ts";
import type { Form, ShownForm } from "#console/kit/forms/form.ts";
import type { Visit } from "#console/kit/visit.ts";
import { nameOf } from "#console/pages/senders/senders.ts";
import type { Field } from "#domain/field/field.ts";
import type { List } from "#domain/list.ts";
import { type CampaignContent, emptyContent } from "#domain/sending/mailing.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { radioGroup, selectField, textArea, textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { chosenLists, listChoice } from "../../list-choice.ts";
import * as texts from "./compose.texts.ts";
import { mergeFieldsPart } from "./merge-fields.ts";

export type ContentKind = keyof typeof texts.kinds;
const kinds = Object.keys(texts.kinds) as readonly ContentKind[];

/** What the form offers. */
export interface Choices {
  readonly senders: readonly Sender[];
  readonly lists: readonly List[];
  readonly fields: readonly Field[];
  readonly layouts: readonly ShownLayout[];
}
type AccountVisit = Visit<"/{account}">;

export async function choicesOf(visit: Pick<AccountVisit, "perform" | "account">): Promise<Choices> {
  const account = visit.account.id;
  return {
    senders: await allRows(visit, listSenders, { account }),
    lists: await allRows(visit, listLists, { account }),
    fields: await allRows(visit, listFields, { account }),
    layouts: await visit.perform(listLayouts, { account }),
  };
}

export const kindOf = ({ html: own, markdown, text }: CampaignContent): ContentKind =>
  own !== null ? "html" : markdown === null && text !== null ? "text" : "markdown";

/** `content`: null for a new campaign. */
export function contentFields(
  visit: Pick<AccountVisit, "formats" | "link" | "may">,
  form: ShownForm,
  choices: Choices,
  { name, content }: { readonly name: string; readonly content: CampaignContent | null },
): Html {
  const stored = content ?? emptyContent;
  const field = (of: string, value: string | null) => ({
    ...{ name: of, value: form.value(of, value ?? ""), error: form.problem(of) },
  });
  return html`${textField({
    ...field("name", name),
    label: texts.name,
    placeholder: texts.namePlaceholder,
    hint: texts.nameHint,
  })}${senderField(visit, form, choices.senders, stored)}
<h2>${texts.audience}</h2>
${audienceFields(visit, form, choices.lists, stored)}
<h2>${texts.message}</h2>
${textField({ ...field("subject", stored.subject), label: texts.subject, isOptional: true })}${textField({
  ...field("preheader", stored.preheader),
  label: texts.preheader,
  hint: texts.preheaderHint,
  isOptional: true,
})}
<div class="written">${radioGroup({
    ...field("kind", kindOf(stored)),
    label: texts.kind,
    options: kinds.map((value) => ({ value, ...texts.kinds[value] })),
  })}<div data-kind="markdown">${radioGroup({
    ...field("layout", stored.layout ?? choices.layouts[0]?.name ?? ""),
    label: texts.layout,
    hint: texts.layoutHint,
    options: choices.layouts.map((one) => ({
      value: one.name,
      label: texts.layoutName(one.name),
      hint: one.description,
    })),
  })}${textArea({
    ...field("markdown", stored.markdown),
    label: texts.markdown,
    hint: texts.markdownHint,
    rows: 16,
    isOptional: true,
  })}</div><div data-kind="html">${textArea({
    ...field("html", stored.html),
    label: texts.html,
    hint: texts.htmlHint,
    rows: 16,
    isOptional: true,
  })}</div>${textArea({
    ...field("text", stored.text),
    label: texts.text,
    hint: texts.textHint,
    rows: 8,
    isOptional: true,
  })}</div>
${mergeFieldsPart(visit, choices.fields)}`;
}

function senderField(
  { link, may }: Pick<AccountVisit, "link" | "may">,
  form: ShownForm,
  senders: readonly Sender[],
  { sender }: CampaignContent,
): Html {
  const to = html`<a href="${link("/settings/senders")}">${texts.toSenders}</a>`;
  if (senders.length === 0)
    return notice(
      "info",
      texts.noSendersTitle,
      html`${texts.noSenders} ${may("owner") ? to : texts.askOwner}`,
    );
  return selectField({
    name: "sender",
    label: texts.sender,
    value: form.value("sender", String(sender ?? senders[0]?.id ?? "")),
    error: form.problem("sender"),
    options: [
      ...senders.map((one) => ({ value: String(one.id), label: nameOf(one) })),
      { value: "", label: texts.noSender },
    ],
    isOptional: true,
  });
}

function audienceFields(
  visit: Pick<AccountVisit, "formats" | "link">,
  form: ShownForm,
  lists: readonly List[],
  stored: CampaignContent,
): Html {
  if (lists.length === 0)
    return html`<p>${texts.noLists}</p>${buttonLink({ label: texts.toLists, href: visit.link("/lists") })}`;
  return html`${listChoice(form, lists, visit, {
    name: "lists",
    label: texts.lists,
    hint: texts.listsHint,
    stored: stored.lists,
    isOptional: true,
  })}${listChoice(form, lists, visit, {
    name: "excludedLists",
    label: texts.excludedLists,
    hint: texts.excludedListsHint,
    stored: stored.excludedLists,
    isOptional: true,
  })}`;
}

/** A browser sends line breaks as CR LF. */
const linesIn = (form: Form, name: string): string | null => {
  const text = form.text(name).replaceAll("\r\n", "\n");
  return text.trim() === "" ? null : text;
};

/** Only what was chosen is stored. Throws FormRefused. */
export function contentIn(form: Form): GivenContent {
  const kind = kinds.find((one) => one === form.text("kind")) ?? "markdown";
  const layout = form.text("layout");
  return {
    sender: form.id("sender"),
    lists: chosenLists(form, "lists"),
    excludedLists: chosenLists(form, "excludedLists"),
    subject: form.text("subject").trim(),
    preheader: form.text("preheader").trim(),
    layout: kind === "markdown" && layout !== "" ? layout : null,
    markdown: kind === "markdown" ? linesIn(form, "markdown") : null,
    html: kind === "html" ? linesIn(form, "html") : null,
    text: linesIn(form, "text"),
  };
}
