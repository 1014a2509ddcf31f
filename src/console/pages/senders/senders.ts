/** `/console/{account}/settings/senders`: who campaigns are from. */
import { listSenders } from "#admin/senders/senders.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { emptyState } from "#html/components/feedback.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { neighbours } from "../../kit/addresses/query.ts";
import { content, page } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import { placeOf } from "../settings/place.ts";
import * as texts from "./senders.texts.ts";

const PATH = "/{account}/settings/senders";
const PAGE = 100;

/** Its name, or its address if it has none. */
export const nameOf = ({ fromName, fromAddress }: Sender): string =>
  fromName === "" ? fromAddress : `${isolated(fromName)} <${fromAddress}>`;

export const sendersPage = page({
  path: PATH,
  role: "viewer",
  show: async (visit) => {
    const { account, link, may } = visit;
    const create = (label: string): readonly Html[] =>
      may("owner")
        ? [buttonLink({ label, href: link("/settings/senders/new"), emphasis: "primary", icon: "plus" })]
        : [];
    const found = await visit.list(listSenders, { account: account.id, limit: PAGE });
    const isEmpty = found.rows.length === 0 && found.previous === null;
    return content(
      texts.title,
      html`${placeOf(visit).top("/senders", isEmpty ? [] : create(texts.newSender))}
<p class="description">${texts.explained}</p>
${
  isEmpty
    ? emptyState({
        title: texts.emptyTitle,
        text: may("owner") ? texts.empty : texts.emptyViewer,
        icon: "mail",
        actions: create(texts.createFirst),
      })
    : senderTable(visit, found)
}`,
    );
  },
});

type Found = Awaited<ReturnType<typeof listSenders.run>>;

function senderTable({ formats, link, path }: Visit<typeof PATH>, { rows, next, previous }: Found): Html {
  return html`${table({
    caption: texts.title,
    rows,
    href: ({ id }) => link(`/settings/senders/${id}`),
    columns: [
      {
        label: texts.from,
        cell: ({ fromName, fromAddress }) => (fromName === "" ? fromAddress : isolated(fromName)),
        detail: ({ fromName, fromAddress }) => (fromName === "" ? null : html`<span>${fromAddress}</span>`),
      },
      { label: texts.signedBy, cell: signedBy },
      { label: texts.relays, cell: relaysOf, isMinor: true },
      {
        label: texts.perDay,
        cell: ({ perDay }) => (perDay === null ? texts.none : formats.number(perDay)),
        isNumber: true,
      },
      { label: texts.created, cell: ({ createdAt }) => formats.dateElement(createdAt), isMinor: true },
    ],
  })}${pager({
    text: texts.shown(formats.number(rows.length)),
    ...neighbours(path, { previous, next }),
  })}`;
}

const signedBy = ({ signing }: Sender): Insert =>
  signing === "none" ? badge(texts.signings.none, "warning") : texts.signings[signing];
const relaysOf = ({ relays }: Sender): string =>
  relays.length === 0 ? texts.installationRelay : relays.map(({ url }) => url).join(", ");
