/** `…/campaigns/{campaign}/recipients` and `…/verify`: each recipient, and whether the numbers add up. */

import { briefCampaign, countCampaign } from "#admin/campaigns/campaigns.ts";
import { listRecipients, verifyCampaign } from "#admin/campaigns/ledger.ts";
import type { Sending } from "#admin/campaigns/send.ts";
import type { Page } from "#domain/ports/listing.ts";
import type { MailingState } from "#domain/sending/mailing.ts";
import type { Recipient, RecipientCounts, RecipientState, SkipReason } from "#domain/sending/recipient.ts";
import { button } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { selectField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { type PagedTable, pagedTable } from "../../kit/listing.ts";
import { content, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { addressOf, campaignHeader, ofCampaign } from "./campaign-header.ts";
import { recipientBadge, recipientStateName, recipientStates } from "./state.ts";

export const skipReasons: Readonly<Record<SkipReason, string>> = {
  unsubscribed: "Unsubscribed",
  bounced: "Bounced",
  complained: "Complained",
  blocked: "Blocked",
  "left the lists": "Left the lists",
  "on an excluded list": "On an excluded list",
  "does not match the filter": "Does not match the filter",
  erased: "Erased",
  "needs SMTPUTF8": "The relay does not support SMTPUTF8",
  "cannot be rendered": "The message cannot be rendered",
  "message too large": "The message is too large",
};

/** `/console/{account}/campaigns/{campaign}/recipients`: what became of the message for each recipient. */
const PATH = "/{account}/campaigns/{campaign}/recipients";
type RecipientsContext = PageContext<typeof PATH>;
const PAGE = 50;

const filterForm = (
  { formats }: RecipientsContext,
  { state: own, counts }: Sending,
  isWritten: boolean,
  state: RecipientState | null,
): Html =>
  html`<form class="inline-form">${selectField({
    name: "state",
    label: "State",
    value: state ?? "",
    options: [
      { value: "", label: "All" },
      ...recipientStates.map((one) => ({
        value: one,
        label: `${recipientStateName(one, own, isWritten)[0]} (${formats.number(counts[one])})`,
      })),
    ],
    isOptional: true,
  })}${button({ label: "Show" })}</form>`;

type Shown = Pick<PagedTable<Recipient>, "text" | "filter" | "empty">;
function recipientTable(
  context: RecipientsContext,
  campaign: MailingState,
  found: Page<Recipient>,
  shown: Shown,
): Html {
  const { formats, link } = context;
  return pagedTable(context, found, {
    ...shown,
    caption: "Recipients",
    columns: [
      {
        label: "E-mail",
        cell: ({ address, subscriber }) =>
          address === null ? "erased" : html`<a href="${link(`/subscribers/${subscriber}`)}">${address}</a>`,
        isTyped: true,
      },
      { label: "State", cell: (row) => recipientBadge(row, campaign) },
      { label: "Since", cell: ({ at }) => formats.time(at), isMinor: true },
      { label: "Code", cell: ({ code }) => code ?? "", isNumber: true },
      {
        label: "Reply or reason",
        cell: ({ skipped, reply }) => (skipped === null ? (reply ?? "") : skipReasons[skipped]),
        isTyped: true,
      },
    ],
  });
}

const recipientsPage = page({
  path: PATH,
  role: "viewer",
  show: async (context) => {
    const { performHere, query, formats } = context;
    const of = ofCampaign(context);
    const found = await performHere(countCampaign, of);
    const { sending } = found;
    if (sending === null) return redirect(addressOf(context, found.id));
    const state = recipientStates.find((one) => one === query.get("state")) ?? null;
    const recipients = await context.list(listRecipients, { ...of, state, limit: PAGE });
    const total = state === null ? sending.selected : sending.counts[state];
    const nothing =
      sending.purgedAt !== null
        ? "The results of single recipients are no longer stored, only the totals."
        : sending.selected === 0
          ? "The recipients are selected when the campaign starts."
          : "No recipient is in this state.";
    return content(
      `Recipients – ${found.name}`,
      html`${campaignHeader(context, found, "recipients")}
${sending.selected === 0 ? null : filterForm(context, sending, found.isWrittenToFiles, state)}
${state === null ? null : html`<p class="description">${recipientStateName(state, sending.state, found.isWrittenToFiles)[2]}</p>`}
${recipientTable(context, sending.state, recipients, {
  text: (count) => `${formats.number(count)} of ${formats.number(total)}`,
  filter: { state },
  empty: { title: "No recipients", text: nothing, icon: "people" },
})}`,
    );
  },
});

const sumOf = (counts: RecipientCounts): number =>
  recipientStates.reduce((sum, state) => sum + counts[state], 0);

const verifyPage = page({
  path: "/{account}/campaigns/{campaign}/verify",
  role: "viewer",
  show: async (context) => {
    const { performHere, formats } = context;
    const of = ofCampaign(context);
    const { id, name, sending } = await performHere(briefCampaign, of);
    const own = addressOf(context, id);
    if (sending === null) return redirect(own);
    const { mailing, rows, isBalanced, events } = await performHere(verifyCampaign, of);
    const { counts, selected, purgedAt } = mailing;
    const lines: readonly (readonly [label: string, counter: number, counted: number | null])[] = [
      ...recipientStates.map(
        (state) => [recipientStateName(state, mailing.state)[0], counts[state], rows[state]] as const,
      ),
      ["Sum", sumOf(counts), sumOf(rows)],
      ["Selected", selected, null],
    ];
    return titled(
      {
        title: `Verify ${quoted(name)}`,
        parent: { label: name, href: own },
        description:
          "Counts the recipients again, and compares the numbers: each selected recipient must be in exactly one state.",
      },
      html`<div class="stack">${notice(
        isBalanced ? "good" : "bad",
        isBalanced ? "The numbers add up" : "The numbers do not add up. Please report it, with this page",
        purgedAt === null
          ? null
          : "The results of single recipients are no longer stored, so only the totals are compared.",
      )}
${table({
  caption: `Verify ${quoted(name)}`,
  rows: lines,
  columns: [
    { label: "State", cell: ([label]) => label },
    { label: "Counter", cell: ([, count]) => formats.number(count), isNumber: true },
    {
      label: "Counted now",
      cell: ([, , count]) => (count === null || purgedAt !== null ? "–" : formats.number(count)),
      isNumber: true,
    },
  ],
})}${definitions([
  ["Bounced later", formats.number(events.bounced)],
  ["Unsubscribed", formats.number(events.unsubscribed)],
  ["Complained", formats.number(events.complained)],
])}</div>`,
    );
  },
});

export const recipientPages = [recipientsPage, verifyPage];
