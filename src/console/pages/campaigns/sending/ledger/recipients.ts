/** `/console/{account}/campaigns/{campaign}/recipients`: what became of the message for each recipient. */
import { briefCampaign } from "#admin/campaigns/campaigns.ts";
import { listRecipients } from "#admin/campaigns/sending/ledger.ts";
import type { Sending } from "#admin/campaigns/sending/progress.ts";
import { neighbours } from "#console/kit/addresses/query.ts";
import { content, page, redirect } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import type { Recipient, RecipientState } from "#domain/sending/recipient.ts";
import { button } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { selectField } from "#html/components/fields.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { addressOf, campaignHeader, ofCampaign } from "../../campaign-header.ts";
import * as states from "../state.texts.ts";
import { recipientBadge, recipientStates } from "../state.ts";
import * as texts from "./recipients.texts.ts";

const PATH = "/{account}/campaigns/{campaign}/recipients";
type RecipientsVisit = Visit<typeof PATH>;
const PAGE = 50;

const filterForm = ({ formats }: RecipientsVisit, { counts }: Sending, state: RecipientState | null): Html =>
  html`<form class="inline-form">${selectField({
    name: "state",
    label: texts.state,
    value: state ?? "",
    options: [
      { value: "", label: texts.all },
      ...recipientStates.map((one) => ({
        value: one,
        label: `${states.recipientStates[one][0]} (${formats.number(counts[one])})`,
      })),
    ],
    isOptional: true,
  })}${button({ label: texts.show })}</form>`;

function recipientTable({ formats, link }: RecipientsVisit, rows: readonly Recipient[]): Html {
  return table({
    caption: texts.title,
    rows,
    columns: [
      {
        label: texts.email,
        cell: ({ address, subscriber }) =>
          address === null
            ? texts.erased
            : html`<a href="${link(`/subscribers/${subscriber}`)}">${address}</a>`,
        isTyped: true,
      },
      { label: texts.state, cell: ({ state }) => recipientBadge(state) },
      { label: texts.at, cell: ({ at }) => formats.time(at), isMinor: true },
      { label: texts.code, cell: ({ code }) => code ?? "", isNumber: true },
      {
        label: texts.why,
        cell: ({ skipped, reply }) => (skipped === null ? (reply ?? "") : texts.skipped[skipped]),
        isTyped: true,
      },
    ],
  });
}

export const recipientsPage = page({
  path: PATH,
  role: "viewer",
  show: async (visit) => {
    const { perform, query, formats, path } = visit;
    const of = ofCampaign(visit);
    const found = await perform(briefCampaign, of);
    const { sending } = found;
    if (sending === null) return redirect(addressOf(visit, found.id));
    const state = recipientStates.find((one) => one === query.get("state")) ?? null;
    const { rows, next, previous } = await visit.list(listRecipients, { ...of, state, limit: PAGE });
    const isEmpty = rows.length === 0 && previous === null;
    const total = state === null ? sending.selected : sending.counts[state];
    const nothing =
      sending.purgedAt !== null ? texts.purged : sending.selected === 0 ? texts.notYet : texts.nobody;
    return content(
      `${texts.title} – ${found.name}`,
      html`${campaignHeader(visit, found, "recipients", {})}
${sending.selected === 0 ? null : filterForm(visit, sending, state)}
${state === null ? null : html`<p class="description">${states.recipientStates[state][2]}</p>`}
${
  isEmpty
    ? emptyState({ title: texts.none, text: nothing, icon: "people" })
    : html`${recipientTable(visit, rows)}${pager({
        text: texts.of(formats.number(rows.length), formats.number(total)),
        ...neighbours(path, { previous, next }, { state }),
      })}`
}`,
    );
  },
});
