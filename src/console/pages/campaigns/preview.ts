/**
 * `/console/{account}/campaigns/{campaign}/preview`: the message of a sample person or of a subscriber, and
 * test messages. The HTML is a page of its own in a sandboxed frame, because any user may have written it.
 */

import { showContent } from "#admin/campaigns/compose.ts";
import {
  MAX_TEST_ADDRESSES,
  type MessageProblem,
  previewCampaign,
  type RenderedMessage,
  type TestSent,
  testSend,
} from "#admin/campaigns/preview.ts";
import { sentence } from "#admin/error-texts.ts";
import { InvalidInput, NotFound, NotPossible } from "#admin/kit/errors.ts";
import { isEditable } from "#domain/sending/mailing.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { codeBlock } from "#html/components/code.ts";
import { notice } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { formOf } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { withQuery } from "../../kit/listing.ts";
import { type Content, framed, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { addressOf, ofCampaign } from "./campaign-header.ts";

const PATH = "/{account}/campaigns/{campaign}/preview";
const MESSAGE = `${PATH}/message` as const;
type PreviewContext = PageContext<typeof PATH>;

const emailIn = (filter: Readonly<Record<string, string>>): string | null => filter.email ?? null;

/** What is wrong with the templates or the address is shown in place of the message. */
async function messageOf(context: PreviewContext, email: string | null): Promise<RenderedMessage | string> {
  try {
    return await context.performHere(previewCampaign, { ...ofCampaign(context), email });
  } catch (error) {
    if (error instanceof InvalidInput) return sentence(`${error.input} ${error.message}`);
    if (error instanceof NotPossible) return sentence(error.message);
    if (error instanceof NotFound && error.thing === "subscriber") return sentence(error.message);
    throw error;
  }
}

export function problemText(problem: MessageProblem, { number, bytes }: Formats): string {
  switch (problem.kind) {
    case "empty field":
      return `${problem.field} has no value. Add a default: {{ ${problem.field} | default: "…" }}`;
    case "long line":
      return `A line has ${number(problem.characters)} characters. Servers that encode the message again may break lines of more than 998.`;
    case "large":
      return `The HTML has ${bytes(problem.bytes)}. Gmail clips messages at 102 KB.`;
    case "needs SMTPUTF8":
      return "The address needs a relay that supports SMTPUTF8.";
    case "refused value":
      return `${problem.text} has a value that is not allowed there, such as a link to a script. It is left out.`;
    case "joined links":
      return `Two links of the plain text run into each other: ${problem.text} Put a space between them.`;
    case "not rendered":
      return problem.text;
  }
}

async function messageParts(
  context: PreviewContext,
  message: RenderedMessage,
  email: string | null,
): Promise<Html> {
  const { formats, link, params, encrypt } = context;
  const frame = withQuery(link(`/campaigns/${params.campaign}/preview/message`), {
    filter: email === null ? null : await encrypt({ email }, MESSAGE),
  });
  const { problems, headers, size, htmlSize } = message;
  return html`${
    problems.length === 0
      ? null
      : notice(
          "warning",
          "Notes",
          html`<ul class="sentences">${problems.map((one) => html`<li>${problemText(one, formats)}</li>`)}</ul>`,
        )
  }
${section(
  message.subject,
  message.html === null
    ? html`<p>The message is plain text only.</p>`
    : html`<iframe class="framed" sandbox title="Message" src="${frame}"></iframe>`,
  { description: message.html === null ? null : "Images from other servers are not loaded here." },
)}
${section("Plain text", codeBlock("Plain text", message.text))}
${section(
  "Headers",
  definitions([
    ...headers.map(({ name, value }) => [name, value] as const),
    ["Size", `${formats.bytes(size)}, including ${formats.bytes(htmlSize)} of HTML`],
  ]),
)}`;
}

const results = (sent: readonly TestSent[]): Html =>
  html`${sent.map(({ address, reply, isAccepted }) =>
    isAccepted ? notice("good", `Sent to ${address}`, reply) : notice("bad", `Not sent to ${address}`, reply),
  )}`;

function testForm({ formState }: PreviewContext): Html {
  const form = formState("test");
  return section(
    "Test message",
    formOf("test", {
      state: form,
      isIdempotent: true,
      body: html`${textField({
        ...form.field("to"),
        label: "Addresses",
        hint: "Separated by commas.",
        inputMode: "email",
      })}${buttonRow(button({ label: "Send test", icon: "mail" }))}`,
    }),
    {
      description: `Sends the message now, to at most ${MAX_TEST_ADDRESSES} addresses. Its subject begins with [Test]. A subscriber gets their own message, any other address that of a sample person. A suppressed address is refused.`,
    },
  );
}

async function previewContent(context: PreviewContext, sent: readonly TestSent[]): Promise<Content> {
  const { campaign, mailing } = await context.performHere(showContent, ofCampaign(context));
  const email = emailIn(await context.filter());
  const message = await messageOf(context, email);
  const own = addressOf(context, campaign.id);
  const form = context.formState("show");
  const isDraft = isEditable(mailing.state);
  const next = context.may("owner") ? "Check and send" : "Check";
  return titled(
    {
      title: `Preview of ${quoted(campaign.name)}`,
      parent: { label: campaign.name, href: own },
      description:
        email === null
          ? "The message as a sample person gets it. Links in it do not work here."
          : `The message as ${email} gets it. Links in it do not work here.`,
      actions: isDraft
        ? [
            buttonLink({ label: "Edit", href: `${own}/edit`, icon: "edit" }),
            buttonLink({ label: next, href: `${own}/send`, emphasis: "primary" }),
          ]
        : [],
    },
    html`<div class="stack">${results(sent)}</div>
${formOf("show", {
  state: form,
  look: "inline-form",
  body: html`${textField({
    ...form.field("email", email ?? ""),
    label: "Address of a subscriber",
    inputMode: "email",
    isOptional: true,
  })}${button({ label: "Show" })}`,
})}
${typeof message === "string" ? notice("bad", "The preview cannot be shown", message) : await messageParts(context, message, email)}
${testForm(context)}`,
  );
}

const previewPage = page({
  path: PATH,
  role: "editor",
  show: (context) => previewContent(context, []),
  forms: {
    show: async ({ form, path, encrypt }) =>
      redirect(withQuery(path, { filter: await encrypt({ email: form.text("email").trim() }) })),
    test: async (context) => {
      const to = context.form
        .text("to")
        .split(",")
        .map((one) => one.trim())
        .filter((one) => one !== "");
      return previewContent(context, await context.performHere(testSend, { ...ofCampaign(context), to }));
    },
  },
});

const previewMessagePage = page({
  path: MESSAGE,
  role: "editor",
  show: async (context) => {
    const email = emailIn(await context.filter());
    const message = await context.performHere(previewCampaign, { ...ofCampaign(context), email });
    return framed(message.framedHtml ?? "");
  },
});

export const previewPages = [previewPage, previewMessagePage];
