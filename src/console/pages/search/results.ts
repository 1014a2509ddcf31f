/** What a search has found, by kind. */
import { stateBadge } from "#html/components/badge.ts";
import { section } from "#html/components/page-header.ts";
import { type Table, table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import type { Found, SearchVisit } from "./matches.ts";
import * as texts from "./search.texts.ts";

const part = <Row>(title: string, given: Omit<Table<Row>, "caption">): Html | null =>
  given.rows.length === 0 ? null : section(title, table({ ...given, caption: title }));

export function results({ formats, link, now }: SearchVisit, found: Found): Html {
  const { subscribers, lists, campaigns, keys, refusedCall } = found;
  return html`${part(texts.subscribers, {
    rows: subscribers,
    href: ({ id }) => link(`/subscribers/${id}`),
    columns: [
      { label: texts.address, cell: ({ address }) => address },
      { label: texts.state, cell: ({ state }) => stateBadge(state) },
    ],
  })}${part(texts.lists, {
    rows: lists,
    href: ({ id }) => link(`/lists/${id}`),
    columns: [
      { label: texts.list, cell: ({ name }) => name },
      { label: texts.members, cell: ({ members }) => formats.number(members), isNumber: true },
    ],
  })}${part(texts.campaigns, {
    rows: campaigns,
    href: ({ id }) => link(`/campaigns/${id}`),
    columns: [
      { label: texts.campaign, cell: ({ name }) => name },
      {
        label: texts.sent,
        cell: ({ sentAt }) => (sentAt === null ? texts.notSent : formats.time(sentAt)),
      },
    ],
  })}${part(texts.keys, {
    rows: keys,
    href: ({ id }) => link(`/integrations/${id}`),
    columns: [
      { label: texts.key, cell: ({ label, hint }) => (label === "" ? texts.unnamed(hint) : label) },
      { label: texts.hint, cell: ({ hint }) => html`<code>${hint}</code>` },
      {
        label: texts.lastUsed,
        cell: ({ lastUsedAt }) => (lastUsedAt === null ? texts.never : formats.ago(lastUsedAt, now)),
      },
    ],
  })}${part(texts.refused, {
    rows: refusedCall === null ? [] : [refusedCall],
    href: ({ id }) => link(`/refused-calls/${id}`),
    columns: [
      { label: texts.call, cell: ({ id }) => texts.callName(String(id)) },
      { label: texts.operation, cell: ({ operation }) => operation },
      { label: texts.lastAt, cell: ({ lastAt }) => formats.time(lastAt) },
    ],
  })}`;
}
