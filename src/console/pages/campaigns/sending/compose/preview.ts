/**
 * `/console/{account}/campaigns/{campaign}/preview`: the message of a sample person or of a subscriber, and
 * test messages. The HTML is a page of its own in a sandboxed frame, because anybody may have written it.
 */
import { showContent } from "#admin/campaigns/sending/compose.ts";
import {
  MAX_TEST_ADDRESSES,
  type MessageProblem,
  previewCampaign,
  type RenderedMessage,
  type TestSent,
  testSend,
} from "#admin/campaigns/sending/preview.ts";
import { sentence } from "#admin/error-texts.ts";
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import { withQuery } from "#console/kit/addresses/query.ts";
import type { Formats } from "#console/kit/formats.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { type Content, content, framed, page, redirect } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import { isEditable } from "#domain/sending/mailing.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { codeBlock } from "#html/components/code.ts";
import { notice } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { addressOf, ofCampaign } from "../../campaign-header.ts";
import * as texts from "./preview.texts.ts";

const PATH = "/{account}/campaigns/{campaign}/preview";
const MESSAGE = `${PATH}/message` as const;
type PreviewVisit = Visit<typeof PATH>;

const emailIn = (filter: Readonly<Record<string, string>>): string | null => filter.email ?? null;

/** What is wrong with the templates or the address is shown in place of the message. */
async function messageOf(visit: PreviewVisit, email: string | null): Promise<RenderedMessage | string> {
  try {
    return await visit.perform(previewCampaign, { ...ofCampaign(visit), email });
  } catch (error) {
    if (error instanceof InvalidInput) return sentence(`${error.input} ${error.message}`);
    if (error instanceof NotPossible) return sentence(error.message);
    if (error instanceof NotFound && error.thing === "subscriber") return sentence(error.message);
    throw error;
  }
}

function problemText(problem: MessageProblem, { number, bytes }: Formats): string {
  switch (problem.kind) {
    case "empty field":
      return texts.problem.empty(problem.field);
    case "long line":
      return texts.problem.longLine(number(problem.characters));
    case "large":
      return texts.problem.large(bytes(problem.bytes));
    case "needs SMTPUTF8":
      return texts.problem.smtpUtf8;
    case "refused value":
      return texts.problem.refused(problem.text);
    case "joined links":
      return texts.problem.joinedLinks(problem.text);
    case "not rendered":
      return problem.text;
  }
}

async function messageParts(
  visit: PreviewVisit,
  message: RenderedMessage,
  email: string | null,
): Promise<Html> {
  const { formats, link, params, seal } = visit;
  const frame = withQuery(link(`/campaigns/${params.campaign}/preview/message`), {
    filter: email === null ? null : await seal({ email }, MESSAGE),
  });
  const { problems, headers, size, htmlSize } = message;
  return html`${
    problems.length === 0
      ? null
      : notice(
          "warning",
          texts.problems,
          html`<ul class="sentences">${problems.map((one) => html`<li>${problemText(one, formats)}</li>`)}</ul>`,
        )
  }
${section(
  message.subject,
  message.html === null
    ? html`<p>${texts.noHtml}</p>`
    : html`<iframe class="framed" sandbox title="${texts.message}" src="${frame}"></iframe>`,
  { description: message.html === null ? null : texts.noImages },
)}
${section(texts.text, codeBlock(texts.text, message.text))}
${section(
  texts.headers,
  definitions([
    ...headers.map(({ name, value }) => [name, value] as const),
    [texts.size, texts.sizes(formats.bytes(size), formats.bytes(htmlSize))],
  ]),
)}`;
}

const results = (sent: readonly TestSent[]): Html =>
  html`${sent.map(({ address, reply, isAccepted }) =>
    isAccepted
      ? notice("good", texts.sentTo(address), reply)
      : notice("bad", texts.notSentTo(address), reply),
  )}`;

function testForm({ shown }: PreviewVisit): Html {
  const form = shown("test");
  return section(
    texts.testTitle,
    formOf("test", {
      shown: form,
      isOnce: true,
      body: html`${textField({
        name: "to",
        label: texts.to,
        hint: texts.toHint,
        value: form.value("to"),
        error: form.problem("to"),
        inputMode: "email",
      })}${buttonRow(button({ label: texts.send, icon: "mail" }))}`,
    }),
    { description: texts.testDescription(MAX_TEST_ADDRESSES) },
  );
}

async function previewContent(visit: PreviewVisit, sent: readonly TestSent[]): Promise<Content> {
  const { campaign, mailing } = await visit.perform(showContent, ofCampaign(visit));
  const email = emailIn(await visit.filter());
  const message = await messageOf(visit, email);
  const own = addressOf(visit, campaign.id);
  const form = visit.shown("show");
  const title = texts.title(campaign.name);
  const isDraft = isEditable(mailing.state);
  const next = visit.may("owner") ? texts.next : texts.check;
  return content(
    title,
    html`${pageHeader({
      title,
      parent: { label: campaign.name, href: own },
      description: email === null ? texts.ofSample : texts.ofPerson(email),
      actions: isDraft
        ? [
            buttonLink({ label: texts.edit, href: `${own}/edit`, icon: "edit" }),
            buttonLink({ label: next, href: `${own}/send`, emphasis: "primary" }),
          ]
        : [],
    })}
<div class="stack">${results(sent)}</div>
${formOf("show", {
  shown: form,
  look: "inline-form",
  body: html`${textField({
    name: "email",
    label: texts.forWhom,
    value: form.value("email", email ?? ""),
    error: form.problem("email"),
    inputMode: "email",
    isOptional: true,
  })}${button({ label: texts.show })}`,
})}
${typeof message === "string" ? notice("bad", texts.notFound, message) : await messageParts(visit, message, email)}
${testForm(visit)}`,
  );
}

export const previewPage = page({
  path: PATH,
  role: "editor",
  show: (visit) => previewContent(visit, []),
  forms: {
    show: {
      submit: async ({ form, path, seal }) =>
        redirect(withQuery(path, { filter: await seal({ email: form.text("email").trim() }) })),
    },
    test: {
      submit: async (visit) => {
        const to = visit.form
          .text("to")
          .split(",")
          .map((one) => one.trim())
          .filter((one) => one !== "");
        return previewContent(visit, await visit.perform(testSend, { ...ofCampaign(visit), to }));
      },
    },
  },
});

export const previewMessagePage = page({
  path: MESSAGE,
  role: "editor",
  show: async (visit) => {
    const email = emailIn(await visit.filter());
    const message = await visit.perform(previewCampaign, { ...ofCampaign(visit), email });
    return framed(message.framedHtml ?? "");
  },
});
