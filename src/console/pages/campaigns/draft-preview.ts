/**
 * The message beside the form in which it is written. A script sends the fields of the form, saved or not,
 * and shows the answer. The HTML of the answer makes one more round, through the frame that shows it: a
 * document that a page makes itself (`srcdoc`, `blob:`) inherits the policy of the page, which allows no
 * styles of its own. Without a script there is no preview here.
 */

import type { GivenContent } from "#admin/campaigns/compose.ts";
import { type MergeData, previewDraft, type ShownDraft, type ShownTo } from "#admin/campaigns/preview.ts";
import { namedProblem, sentence } from "#admin/error-texts.ts";
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import type { Audience } from "#domain/sending/mailing.ts";
import { notice } from "#html/components/feedback.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { type Html, html, trusted } from "#html/html.ts";
import { icon } from "#html/icons.ts";
import { isolated } from "#html/names.ts";
import { type Form, idsIn } from "../../kit/form.ts";
import type { Formats } from "../../kit/formats.ts";
import { type AnyPage, content, framed, type PageContext, page, redirect } from "../../kit/page.ts";
import { problemText } from "./preview.ts";

type Here = Pick<PageContext, "link">;

// What the form of a draft says, except to whom.

export const kinds = ["markdown", "html", "text"] as const;

/** A browser sends line breaks as CR LF. */
const linesIn = (form: Form, name: string): string | null => {
  const text = form.text(name).replaceAll("\r\n", "\n");
  return text.trim() === "" ? null : text;
};

/** Only what was chosen. */
export function messageIn(form: Form): Omit<GivenContent, keyof Audience> {
  const kind = kinds.find((one) => one === form.text("kind")) ?? "markdown";
  const layout = form.text("layout");
  return {
    sender: form.id("sender"),
    subject: form.text("subject").trim(),
    preheader: form.text("preheader").trim(),
    layout: kind === "markdown" && layout !== "" ? layout : null,
    markdown: kind === "markdown" ? linesIn(form, "markdown") : null,
    html: kind === "html" ? linesIn(form, "html") : null,
    text: linesIn(form, "text"),
  };
}

// The merge fields that templates may use, with the values of the person for whom the message is shown.

type Value = string | null;
const ofPerson: Readonly<Record<string, (person: MergeData) => Value>> = {
  email: ({ address }) => address,
  first_name: ({ firstName }) => firstName,
  last_name: ({ lastName }) => lastName,
  gender: ({ gender }) => gender,
  birthday: ({ birthday }) => birthday,
  country: ({ country }) => country,
};
const ofCampaign: Readonly<Record<string, (draft: ShownDraft, name: string) => Value>> = {
  unsubscribe_url: () => "a link of each recipient’s own",
  postal_address: ({ sender }) => sender?.postalAddress ?? null,
  sender_name: ({ sender }) => sender?.fromName ?? null,
  subject: ({ message }) => message?.subject ?? null,
  preheader: ({ message }) => message?.preheader ?? null,
  campaign_name: (_, name) => name,
};

const nameIn = (name: string): string =>
  /^[a-z_]\w*$/i.test(name)
    ? `fields.${name}`
    : name.includes('"')
      ? `fields['${name}']`
      : `fields["${name}"]`;

const example = '{{ first_name | default: "friend" }}';

/** `draft` null: nobody is chosen yet, so there are no values. */
function mergeGroups(fields: readonly string[], draft: ShownDraft | null, name: string): Html {
  const group = (title: string, names: readonly (readonly [string, Value])[]): Html =>
    html`<h3>${title}</h3><ul>${names.map(
      ([one, value]) =>
        html`<li><code>{{ ${one} }}</code>${draft === null ? null : html` <span data-value>${value ?? ""}</span>`}</li>`,
    )}</ul>`;
  return html`${group(
    "Of the subscriber",
    Object.entries(ofPerson).map(([one, get]) => [one, draft && get(draft.person)]),
  )}${
    fields.length === 0
      ? null
      : group(
          "Custom fields",
          fields.map((one) => [nameIn(one), draft?.person.fields[one] ?? null]),
        )
  }${group(
    "Of the campaign",
    Object.entries(ofCampaign).map(([one, get]) => [one, draft && get(draft, name)]),
  )}`;
}

export const mergeFieldsPart = ({ link }: Here, fields: readonly string[]): Html =>
  html`<details class="samples merge-fields"><summary>Merge fields</summary>
<p>In the subject, the preheader and the message; for example with a default: <code>${example}</code></p>
<div data-merge-fields>${mergeGroups(fields, null, "")}</div>
<p><a href="${link("/fields")}">All custom fields</a></p></details>`;

// The preview as the page has it before the script has asked for anything.

const PREVIEW_PATH = "/campaigns/draft-preview";
const MESSAGE_PATH = `${PREVIEW_PATH}/message`;
/** Fields of the preview, which are in the form of the draft. */
const [TO, EMAIL, CAMPAIGN] = ["preview-to", "preview-email", "preview-campaign"];

/** A few choices of which one holds, side by side; the first one at the start. */
const segments = (name: string, legend: string, options: readonly (readonly [string, string])[]): Html =>
  html`<fieldset class="segments"><legend class="visually-hidden">${legend}</legend>${options.map(
    ([value, label], index) =>
      html`<label><input type="radio" name="${name}" value="${value}"${index === 0 ? trusted(" checked") : null}><span>${label}</span></label>`,
  )}</fieldset>`;

/** `campaign` null: the draft was not saved yet. */
export const previewPart = ({ link }: Here, campaign: number | null): Html =>
  html`<section class="draft-preview" aria-labelledby="preview-title" data-preview="${link(PREVIEW_PATH)}" data-message="${link(MESSAGE_PATH)}">
<header><h2 id="preview-title">Preview</h2>${segments("preview-part", "Part", [
    ["html", "HTML"],
    ["text", "Plain text"],
  ])}</header>
<input type="hidden" name="${CAMPAIGN}" value="${campaign ?? ""}">
<div class="preview-to">${selectField({
    name: TO,
    label: "As it reaches",
    value: "sample",
    options: [
      { value: "sample", label: "a sample person" },
      { value: "no values", label: "somebody without values" },
      { value: "subscriber", label: "a subscriber" },
    ],
    isOptional: true,
  })}${textField({ name: EMAIL, label: "E-mail of the subscriber", inputMode: "email", isOptional: true })}</div>
<div data-shown="notes" role="status" tabindex="0" aria-label="Notes"></div>
<div data-shown="inbox"></div>
<div class="preview-html"><div class="preview-look">${segments("preview-width", "Width", [
    ["desktop", "Desktop"],
    ["phone", "Phone"],
  ])}${segments("preview-scheme", "Colours", [
    ["light", "Light"],
    ["dark", "Dark"],
  ])}<label class="choice"><input type="checkbox" name="preview-pictures" value="true"><span>Show pictures</span></label></div>
<div class="preview-frame" data-frame></div>
<p class="field-hint" data-only-light hidden>The message has no dark colours of its own. Some mail programs leave it as it is, others invert it.</p>
<div data-shown="html"></div></div>
<pre class="preview-text" data-shown="text" tabindex="0" role="group" aria-label="Plain text"></pre>
</section>`;

// What the script asks for.

/** About as many as mail programs show in a list of messages. */
const SHOWN_SUBJECT = 60;
const SHOWN_ON_PHONES = 40;
/** Of the message, where there is no preheader. */
const SHOWN_TEXT = 140;

function inboxLine({ message, sender }: ShownDraft, { count }: Formats): Html | null {
  if (message === null) return null;
  const { subject, preheader, text } = message;
  const length = [...subject].length;
  const cut =
    length > SHOWN_SUBJECT
      ? `. Most mail programs show about ${SHOWN_SUBJECT}, phones ${SHOWN_ON_PHONES}.`
      : length > SHOWN_ON_PHONES
        ? `. Phones show about ${SHOWN_ON_PHONES}.`
        : ".";
  const beginning = preheader === "" ? text.slice(0, SHOWN_TEXT).trim() : preheader;
  const from = sender === null ? "No sender" : isolated(sender.fromName || sender.fromAddress);
  return html`<p class="inbox-line"><span>${from}</span> <strong>${subject === "" ? "(no subject)" : subject}</strong> <span>${beginning}</span></p>
<p class="field-hint">Subject: ${count(length, "character", "characters")}${cut}</p>`;
}

/** Not read out at once: it is said of what is only half written. */
const mistakes = (texts: readonly string[]): Html =>
  html`<div class="notice bad">${icon("refused")}<div><strong>This cannot be shown</strong><div class="notice-detail">${list(texts)}</div></div></div>`;
const list = (texts: readonly string[]): Html =>
  html`<ul class="sentences">${texts.map((one) => html`<li>${one}</li>`)}</ul>`;

function notes({ message, faults, sender, hasBaseUrl }: ShownDraft, formats: Formats): Html {
  const missing = [
    ...(message?.missing.map(({ text }) => text) ?? []),
    ...(sender === null ? ["No sender is chosen."] : []),
    ...(hasBaseUrl
      ? []
      : [
          "The service does not know its public address, so links lead nowhere. The operator of the server sets it: MAILROLL_BASE_URL.",
        ]),
  ];
  const found = message?.problems.map((one) => problemText(one, formats)) ?? [];
  return html`${faults.length === 0 ? null : mistakes(faults.map(({ text }) => text))}${
    missing.length === 0 ? null : notice("info", "Before it can be sent", list(missing))
  }${found.length === 0 ? null : notice("warning", "Notes", list(found))}`;
}

function shownTo(form: Form): ShownTo {
  const [to, email] = [form.text(TO), form.text(EMAIL).trim()];
  if (to === "no values") return to;
  return to === "subscriber" && email !== "" ? { email } : "sample";
}

/** Parts without content are not in the answer: what the page shows stays. */
const part = (name: string, inner: Html | null): Html | null =>
  inner === null ? null : html`<div data-shown="${name}">${inner}</div>`;

function answer(draft: ShownDraft, name: string, formats: Formats): Html {
  const { message, fields } = draft;
  return html`${part("notes", notes(draft, formats))}${part("inbox", inboxLine(draft, formats))}${
    message === null
      ? null
      : html`${part("text", html`${message.text}`)}${part("html", message.framedHtml === null ? html`<p>The message is plain text only.</p>` : html``)}<textarea data-html>
${message.framedHtml ?? ""}</textarea>`
  }<div data-merge-fields>${mergeGroups(fields, draft, name)}</div>`;
}

function refusal(error: unknown): string {
  if (error instanceof InvalidInput) return namedProblem(error.input, error.message);
  if (error instanceof NotFound || error instanceof NotPossible) return sentence(error.message);
  throw error;
}

const previewPage: AnyPage = page({
  path: `/{account}${PREVIEW_PATH}`,
  role: "editor",
  takesFile: true,
  show: async ({ link }) => redirect(link("/campaigns")),
  forms: {
    submit: {
      submit: async ({ performHere, form, formats }) => {
        const [campaign = null] = idsIn(form.text(CAMPAIGN));
        const name = form.text("name");
        try {
          const draft = await performHere(previewDraft, {
            ...messageIn(form),
            ...{ campaign, name, to: shownTo(form) },
          });
          return content("Preview", answer(draft, name, formats));
        } catch (error) {
          return content("Preview", part("notes", mistakes([refusal(error)])) ?? html``);
        }
      },
    },
  },
});

/**
 * Returns the HTML that it gets, for a frame. What the frame may do does not depend on where the HTML is
 * from, so nothing else is looked at.
 */
const messagePage: AnyPage = page({
  path: `/{account}${MESSAGE_PATH}`,
  role: "editor",
  takesFile: true,
  show: async ({ link }) => redirect(link("/campaigns")),
  forms: {
    submit: async ({ form }) => framed(form.text("html"), { showsPictures: form.has("pictures") }),
  },
});

export const draftPreviewPages = [previewPage, messagePage];
