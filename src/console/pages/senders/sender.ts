/**
 * `/console/{account}/settings/senders/{sender}`: its values, the DNS records to copy, and the check, which
 * is a form: a page that is only looked at does not ask the DNS.
 */

import { type CheckedSender, checkSender, type ShownSender, showSender } from "#admin/senders/senders.ts";
import { type DnsRecord, type Finding, type FindingState, isFine } from "#domain/sending/finding.ts";
import { relayText } from "#domain/sending/relay.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { badge, type Tone } from "#html/components/badge.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { codeBlock } from "#html/components/code.ts";
import { type Mood, notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { menu } from "#html/components/menu.ts";
import { card, section } from "#html/components/page-header.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { formOf } from "../../kit/form-html.ts";
import type { ConsoleOptions } from "../../kit/options.ts";
import { type Content, type PageContext, page, titled } from "../../kit/page.ts";
import { writtenBadge } from "../campaigns/state.ts";
import { installationPlace, isWritten, nameOf, sendersTexts, signings, states, subjects } from "./senders.ts";
import { eventsSection } from "./webhook.ts";

const senderTexts = {
  toFrom: "The From address",
  record: (subject: string): string => `${subject} record`,
};

/** DNS records to copy, and what a check has found. */
const tones: Readonly<Record<FindingState, Tone>> = {
  ok: "good",
  note: "info",
  missing: "bad",
  wrong: "bad",
  unknown: "warning",
};

/** Below each other, so that long values have the whole width. */
const parts = ({ subject, name, value }: DnsRecord): Html => {
  const label = senderTexts.record(subjects[subject]);
  const part = (title: string, text: string): Html =>
    html`<div><p class="hint">${title}</p>${codeBlock(`${label}: ${title}`, text)}</div>`;
  return html`<div class="stack whole">${part("Name", name)}${part("Value", value)}</div>`;
};
const titleOf = ({ subject, type }: DnsRecord): Html =>
  html`${senderTexts.record(subjects[subject])} ${badge(type)}`;

const recordCards = (records: readonly DnsRecord[]): Html =>
  html`<div class="stack">${records.map((record) =>
    card(html`<h3>${titleOf(record)}</h3>${parts(record)}`),
  )}</div>`;

const findingCard = ({ subject, state, text, found, record }: Finding): Html =>
  card(html`<h3>${subjects[subject]} ${badge(states[state], tones[state])}</h3>
<p>${text}</p>
${state === "ok" || found.length === 0 ? null : found.map((one) => codeBlock(`${subjects[subject]}: Found`, one))}
${record === null ? null : html`<h4>Add this ${record.type} record</h4>${parts(record)}`}`);

function summary(findings: readonly Finding[]): readonly [Mood, string] {
  if (!findings.every(isFine)) return ["warning", "Not everything is in place yet"];
  return findings.some(({ state }) => state === "note")
    ? ["info", "Nothing is missing or wrong; there is something to note"]
    : ["good", "Everything is in place"];
}

const findingCards = (findings: readonly Finding[], at: Html): Html => {
  return html`<div class="stack">${notice(
    ...summary(findings),
    html`Checked ${at}`,
  )}${findings.map(findingCard)}</div>`;
};

const PATH = "/{account}/settings/senders/{sender}";
type SenderContext = PageContext<typeof PATH>;

function actionsOf({ link, may }: SenderContext, { id, signing }: Sender): readonly Html[] {
  const to = (page: string): string => link(`/settings/senders/${id}/${page}`);
  if (!may("owner")) return [];
  return [
    buttonLink({ label: "Change", href: to("change"), icon: "edit" }),
    menu(
      "More actions",
      [
        ...(signing === "mailroll" ? [{ label: "New DKIM key", href: to("new-key") }] : []),
        { label: "Delete", href: to("delete"), isDanger: true },
      ],
      "dots",
    ),
  ];
}

const signedBy = ({ signing, dkimDomain, dkimSelector }: Sender): Insert => {
  if (signing === "none") return badge(signings.none, "warning");
  const detail = dkimDomain === null ? "" : ` (${dkimDomain}, selector ${dkimSelector ?? ""})`;
  return `${signings[signing]}${detail}`;
};

function limitsOf({ perSecond, perDomainMinute, perDay }: Sender, { formats }: SenderContext): string {
  const number = formats.number.bind(formats);
  const all = [
    perSecond === null ? null : `${number(perSecond)} per second`,
    perDomainMinute === null ? null : `${number(perDomainMinute)} per minute to one domain`,
    perDay === null ? null : `${number(perDay)} per day`,
  ].filter((one) => one !== null);
  return all.length === 0 ? "None" : all.join(", ");
}

const linesOf = (lines: readonly string[]): Html =>
  html`${lines.map((line, index) => (index === 0 ? isolated(line) : html`<br>${isolated(line)}`))}`;

/** `checked`: null if the page is only looked at. */
async function contentOf(
  context: SenderContext,
  options: Pick<ConsoleOptions, "mail">,
  { sender, records }: ShownSender,
  checked: CheckedSender | null,
): Promise<Content> {
  const { link, formats, formState, may } = context;
  const form = formOf("check", {
    state: formState("check"),
    look: "plain",
    body: html`<div class="buttons">${button({ label: checked === null ? "Check now" : "Check again", emphasis: "primary" })}</div>`,
  });
  const recordsPart = section("DNS records", recordCards(records), {
    description:
      "Add these records where your domain is managed. Those for SPF and MX are suggestions: ask the provider of your relay.",
  });
  const found = checked === null ? null : findingCards(checked.findings, formats.time(checked.checkedAt));
  const checkPart = may("editor")
    ? section("Check", html`<div class="stack">${found}${form}</div>`, {
        description:
          "Looks up these records in the DNS, and logs in to the relays. It takes a few seconds; nothing is sent.",
      })
    : null;
  return titled(
    {
      title: nameOf(sender),
      parent: { label: sendersTexts.title, href: link("/settings/senders") },
      aside: isWritten(sender, options) ? writtenBadge : null,
      actions: actionsOf(context, sender),
    },
    html`${checked === null ? [recordsPart, checkPart] : [checkPart, recordsPart]}
${await eventsSection(context)}
${section(
  "Details",
  definitions([
    ["From address", sender.fromAddress],
    ["Replies go to", sender.replyTo ?? senderTexts.toFrom],
    ["Postal address", linesOf(sender.postalAddress.split("\n"))],
    [
      "Relays",
      sender.relays.length === 0 ? installationText(options) : linesOf(sender.relays.map(relayText)),
    ],
    ["Bounces go to", sender.bounceDomain ?? senderTexts.toFrom],
    ["Signed by", signedBy(sender)],
    ["Limits", limitsOf(sender, context)],
  ]),
)}`,
  );
}

const installationText = (options: Pick<ConsoleOptions, "mail">): string => {
  const place = installationPlace(options);
  return `${sendersTexts.installationRelay}: ${place ?? "messages are written to files, and not sent"}`;
};

export const senderPage = (options: Pick<ConsoleOptions, "mail">) =>
  page({
    path: PATH,
    role: "viewer",
    show: async (context) =>
      await contentOf(
        context,
        options,
        await context.performHere(showSender, { id: context.params.sender }),
        null,
      ),
    forms: {
      check: async (context) => {
        const checked = await context.performHere(checkSender, { id: context.params.sender });
        return await contentOf(context, options, checked, checked);
      },
    },
  });
