/**
 * `/console/{account}/settings/senders/{sender}`: its values, the DNS records to copy, and the check, which
 * is a form: a page that is only looked at does not ask the DNS.
 */
import { type CheckedSender, checkSender, type ShownSender, showSender } from "#admin/senders/senders.ts";
import { relayText } from "#domain/sending/relay.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { definitions } from "#html/components/figures.ts";
import { menu } from "#html/components/menu.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { type Content, content, page } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import { findingCards, recordCards } from "./findings.ts";
import * as texts from "./sender.texts.ts";
import * as senders from "./senders.texts.ts";
import { nameOf } from "./senders.ts";

const PATH = "/{account}/settings/senders/{sender}";
type SenderVisit = Visit<typeof PATH>;

function actionsOf({ link, may }: SenderVisit, { id, signing }: Sender): readonly Html[] {
  const to = (page: string): string => link(`/settings/senders/${id}/${page}`);
  if (!may("owner")) return [];
  return [
    buttonLink({ label: texts.change, href: to("change"), icon: "edit" }),
    menu(
      texts.actions,
      [
        ...(signing === "mailroll" ? [{ label: texts.newKey, href: to("new-key") }] : []),
        { label: texts.remove, href: to("delete"), isDanger: true },
      ],
      "dots",
    ),
  ];
}

const signedBy = ({ signing, dkimDomain, dkimSelector }: Sender): Insert => {
  if (signing === "none") return badge(senders.signings.none, "warning");
  const detail = dkimDomain === null ? "" : ` (${texts.dkim(dkimDomain, dkimSelector ?? "")})`;
  return `${senders.signings[signing]}${detail}`;
};

function limitsOf({ perSecond, perDomainMinute, perDay }: Sender, { formats }: SenderVisit): string {
  const number = formats.number.bind(formats);
  const all = [
    perSecond === null ? null : texts.perSecond(number(perSecond)),
    perDomainMinute === null ? null : texts.perDomainMinute(number(perDomainMinute)),
    perDay === null ? null : texts.perDay(number(perDay)),
  ].filter((one) => one !== null);
  return all.length === 0 ? texts.noLimits : all.join(", ");
}

const linesOf = (lines: readonly string[]): Html =>
  html`${lines.map((line, index) => (index === 0 ? isolated(line) : html`<br>${isolated(line)}`))}`;

/** `checked`: null if the page is only looked at. */
function contentOf(
  visit: SenderVisit,
  { sender, records }: ShownSender,
  checked: CheckedSender | null,
): Content {
  const { link, formats, shown, may } = visit;
  const title = nameOf(sender);
  const form = formOf("check", {
    shown: shown("check"),
    look: "plain",
    body: html`<div class="buttons">${button({ label: checked === null ? texts.check : texts.checkAgain, emphasis: "primary" })}</div>`,
  });
  const recordsPart = section(texts.records, recordCards(records), { description: texts.recordsHint });
  const found = checked === null ? null : findingCards(checked.findings, formats.time(checked.checkedAt));
  const checkPart = may("editor")
    ? section(texts.checkTitle, html`<div class="stack">${found}${form}</div>`, {
        description: texts.checkHint,
      })
    : null;
  return content(
    title,
    html`${pageHeader({
      title,
      parent: { label: senders.title, href: link("/settings/senders") },
      actions: actionsOf(visit, sender),
    })}
${checked === null ? [recordsPart, checkPart] : [checkPart, recordsPart]}
${section(
  texts.details,
  definitions([
    [texts.fromAddress, sender.fromAddress],
    [texts.replyTo, sender.replyTo ?? texts.toFrom],
    [texts.postalAddress, linesOf(sender.postalAddress.split("\n"))],
    [
      texts.relays,
      sender.relays.length === 0 ? senders.installationRelay : linesOf(sender.relays.map(relayText)),
    ],
    [texts.bounces, sender.bounceDomain ?? texts.toFrom],
    [texts.signedBy, signedBy(sender)],
    [texts.limits, limitsOf(sender, visit)],
  ]),
)}`,
  );
}

export const senderPage = page({
  path: PATH,
  role: "viewer",
  show: async (visit) =>
    contentOf(
      visit,
      await visit.perform(showSender, { account: visit.account.id, id: visit.params.sender }),
      null,
    ),
  forms: {
    check: {
      submit: async (visit) => {
        const checked = await visit.perform(checkSender, {
          account: visit.account.id,
          id: visit.params.sender,
        });
        return contentOf(visit, checked, checked);
      },
    },
  },
});
