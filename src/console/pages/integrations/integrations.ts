/** `/console/{account}/integrations`: the API keys, and what the programs behind them do. */
import { type KeyUse, keyUse, MAX_KEYS } from "#admin/keys/key-use.ts";
import { DAY_MS } from "#domain/calendar.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { sparkline } from "#html/components/charts/sparkline.ts";
import { emptyState } from "#html/components/feedback.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { pager, table } from "#html/components/table.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { content, page } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./integrations.texts.ts";
import { hintOf, nameOf, troubleBadge } from "./key-names.ts";
import { quirkTexts } from "./quirks.texts.ts";

/** Further programs are on the page of the key. */
const PROGRAMS = 2;
/** An observation that is older concerns a program that was mended, or is gone. */
const RECENT_MS = 30 * DAY_MS;

export const integrationsPage = page({
  path: "/{account}/integrations",
  show: async (visit) => {
    const { account, link, may } = visit;
    const args = { account: account.id, key: null, from: null, to: null, limit: MAX_KEYS };
    const found = await visit.list(keyUse, args);
    const isEmpty = found.rows.length === 0 && found.previous === null;
    const create = (label: string): readonly Html[] =>
      may("owner")
        ? [buttonLink({ label, href: link("/integrations/new"), emphasis: "primary", icon: "plus" })]
        : [];
    return content(
      texts.title,
      html`${pageHeader({
        title: texts.title,
        description: texts.description,
        actions: isEmpty ? [] : create(texts.newKey),
      })}
${
  isEmpty
    ? emptyState({
        title: texts.emptyTitle,
        text: may("owner") ? texts.empty : texts.emptyViewer,
        icon: "integrations",
        actions: create(texts.createFirst),
      })
    : keyTable(visit, found)
}
${section(texts.tokensTitle, html`<p class="description">${texts.tokens} <a href="${link("/settings/tokens")}">${texts.tokensLink}</a></p>`)}`,
    );
  },
});

type Found = Awaited<ReturnType<typeof keyUse.run>>;

function keyTable(visit: Visit<"/{account}/integrations">, { rows, previous, next }: Found): Html {
  const { formats, link, path, now } = visit;
  const number = (value: number): string => formats.number(value);
  return html`${table<KeyUse>({
    caption: texts.title,
    rows,
    href: ({ key }) => link(`/integrations/${key.id}`),
    columns: [
      { label: texts.key, cell: ({ key }) => nameOf(key), detail: (use) => about(use, visit) },
      { label: texts.programs, cell: (use) => programs(use, number) },
      {
        label: texts.lastCall,
        cell: ({ key }) => (key.lastUsedAt === null ? texts.none : formats.ago(key.lastUsedAt, now)),
        isShort: true,
      },
      {
        label: texts.perDay,
        isMinor: true,
        cell: ({ days, total }) =>
          total.calls === 0
            ? null
            : sparkline({
                summary: texts.chart(number(total.calls), number(total.refusals + total.faults)),
                days: days.map(({ calls, refusals, faults }) => ({ value: calls, bad: refusals + faults })),
              }),
      },
      { label: texts.calls, cell: ({ total }) => number(total.calls), isNumber: true },
      { label: texts.refused, cell: ({ total }) => number(total.refusals), isNumber: true },
      { label: texts.faults, cell: ({ total }) => number(total.faults), isNumber: true },
    ],
  })}${pager({
    text: texts.moreKeys(number(rows.length), rows.length === 1),
    previous: previous === null ? null : `${path}?before=${encodeURIComponent(previous)}`,
    next: next === null ? null : `${path}?after=${encodeURIComponent(next)}`,
  })}`;
}

function about({ key, quirks }: KeyUse, { formats, now }: Visit<"/{account}/integrations">): Html {
  const recent = key.revokedAt === null ? quirks.filter(({ seenAt }) => now - seenAt < RECENT_MS) : [];
  return html`${key.label === "" ? null : html`<code>${hintOf(key)}</code>`}<span>${texts.scopes[key.scope]}</span>${troubleBadge(key, now, formats)}${recent.map(
    ({ quirk }) => badge(quirkTexts[quirk].short, "warning"),
  )}`;
}

function programs({ programs: all, programCount }: KeyUse, number: (value: number) => string): Insert {
  if (all.length === 0) return texts.none;
  const shown = all.slice(0, PROGRAMS).map(({ program }) => isolated(program));
  const rest = programCount - shown.length;
  return `${shown.join(", ")}${rest > 0 ? ` ${texts.morePrograms(number(rest))}` : ""}`;
}
