/** `/console/{account}/integrations/{key}`: one key: its calls, its programs, and what to improve. */
import { type KeyUse, keyUse, SHOWN_PROGRAMS } from "#admin/keys/key-use.ts";
import { isShort } from "#domain/access/key.ts";
import { dateOfDay, dayOf } from "#domain/calendar.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { stackedChart } from "#html/components/charts/stacked-chart.ts";
import { notice } from "#html/components/feedback.ts";
import { definitions, stats } from "#html/components/figures.ts";
import { pageHeader, section, tabs } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { content, page } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as integrations from "./integrations.texts.ts";
import * as texts from "./key.texts.ts";
import { hintOf, keyBadge, nameOf, stateOf, validity } from "./key-names.ts";
import { quirksTitle, quirkTexts, shownBy } from "./quirks.texts.ts";

const PATH = "/{account}/integrations/{key}";
type KeyVisit = Visit<typeof PATH>;

const ranges = [30, 90] as const;

/** One key over the days that end today. Throws NotFound. */
export async function findUse(
  { perform, account, params, now }: Pick<KeyVisit, "perform" | "account" | "params" | "now">,
  days: number,
): Promise<KeyUse> {
  const from = dateOfDay(dayOf(now) - days + 1);
  const found = await perform(keyUse, { account: account.id, key: params.key, from, to: null, limit: 1 });
  const [use] = found.rows;
  if (use === undefined) throw new Error("a page of one key has a key");
  return use;
}

export const keyPage = page({
  path: PATH,
  show: async (visit) => {
    const { query, link, formats, now, may } = visit;
    const range = ranges.find((days) => String(days) === query.get("days")) ?? ranges[0];
    const use = await findUse(visit, range);
    const { key } = use;
    const actions = [
      buttonLink({ label: texts.change, href: link(`/integrations/${key.id}/change`), icon: "edit" }),
      buttonLink({ label: texts.revoke, href: link(`/integrations/${key.id}/revoke`) }),
    ];
    return content(
      nameOf(key),
      html`${pageHeader({
        title: nameOf(key),
        parent: { label: integrations.title, href: link("/integrations") },
        aside: keyBadge(key, now, formats),
        actions: may("owner") && key.revokedAt === null ? actions : [],
      })}
<div class="stack">${warnings(use, visit)}</div>
${tabs(
  texts.range,
  ranges.map((days) => ({
    label: texts.days(days),
    href: days === ranges[0] ? visit.path : `${visit.path}?days=${days}`,
    isCurrent: days === range,
  })),
)}
<div class="stack">${figures(use, visit)}
${use.total.calls === 0 ? html`<p class="description">${texts.noCalls}</p>` : charts(use, visit)}</div>
${use.programs.length === 0 ? null : programTable(use, visit)}
${improvements(use, visit)}
${section(
  texts.details,
  definitions([
    [texts.hint, html`<code>${hintOf(key)}</code>`],
    [texts.scope, integrations.scopes[key.scope]],
    [texts.created, formats.time(key.createdAt)],
    [texts.expires, validity(key, formats)],
  ]),
)}`,
    );
  },
});

function warnings({ key }: KeyUse, { now }: KeyVisit): readonly Html[] {
  const state = stateOf(key, now);
  if (state === "revoked") return [notice("info", texts.revoked)];
  return [
    ...(state === "expired" ? [notice("warning", texts.expired, texts.expiredHint)] : []),
    ...(isShort(key) ? [notice("warning", texts.short, texts.shortHint)] : []),
    ...(key.lastUsedAt === null ? [notice("info", texts.notUsed, texts.notUsedHint)] : []),
  ];
}

function figures({ key, total, days }: KeyUse, { formats, now, link }: KeyVisit): Html {
  const ofCalls = (count: number): string | null =>
    total.calls === 0 || count === 0 ? null : texts.share(formats.percent(count / total.calls));
  const refused = link(`/refused-calls?key=${key.id}`);
  return stats([
    {
      label: texts.calls,
      value: formats.number(total.calls),
      detail: texts.perDay(formats.number(Math.round(total.calls / days.length))),
    },
    {
      label: texts.refused,
      value: formats.number(total.refusals),
      detail:
        total.refusals === 0
          ? null
          : html`${ofCalls(total.refusals)} · <a href="${refused}">${texts.seeRefused}</a>`,
      tone: total.refusals === 0 ? null : "warning",
    },
    {
      label: texts.faults,
      value: formats.number(total.faults),
      detail: ofCalls(total.faults),
      tone: total.faults === 0 ? null : "bad",
    },
    {
      label: texts.lastCall,
      value: key.lastUsedAt === null ? texts.never : formats.ago(key.lastUsedAt, now),
      detail: key.lastUsedAt === null ? null : formats.time(key.lastUsedAt),
    },
  ]);
}

function charts({ days, total }: KeyUse, { formats }: KeyVisit): Html {
  const shared = { locale: formats.locale, labelName: texts.day };
  const label = (date: string): string => formats.shortDay(date);
  const trouble = stackedChart({
    ...shared,
    title: texts.troubleChart,
    series: [
      { name: texts.refused, look: "mid" },
      { name: texts.faults, look: "out" },
    ],
    days: days.map(({ date, refusals, faults }) => ({ label: label(date), values: [refusals, faults] })),
  });
  return html`${stackedChart({
    ...shared,
    title: texts.callsChart,
    series: [{ name: texts.calls, look: "in" }],
    days: days.map(({ date, calls }) => ({ label: label(date), values: [calls] })),
  })}
${total.refusals + total.faults === 0 ? html`<p class="description">${texts.noTrouble}</p>` : trouble}`;
}

function programTable({ programs, programCount }: KeyUse, { formats }: KeyVisit): Html {
  const number = (value: number): string => formats.number(value);
  const more =
    programCount > programs.length ? texts.morePrograms(number(SHOWN_PROGRAMS), number(programCount)) : null;
  return section(
    texts.programs,
    html`${table({
      caption: texts.programs,
      rows: programs,
      columns: [
        { label: texts.program, cell: ({ program }) => program },
        { label: texts.calls, cell: ({ calls }) => number(calls), isNumber: true },
        { label: texts.refused, cell: ({ refusals }) => number(refusals), isNumber: true },
        { label: texts.faults, cell: ({ faults }) => number(faults), isNumber: true },
        { label: texts.lastDay, cell: ({ lastDate }) => formats.day(lastDate), isNumber: true },
      ],
    })}${more === null ? null : html`<p class="hint">${more}</p>`}`,
    { description: texts.programsHint },
  );
}

function improvements({ quirks }: KeyUse, { formats, now }: KeyVisit): Html | null {
  if (quirks.length === 0) return null;
  return section(
    quirksTitle,
    html`<div class="stack">${quirks.map(({ quirk, program, seenAt }) => {
      const { title, meaning, advice } = quirkTexts[quirk];
      return notice(
        "warning",
        title,
        html`<p>${meaning} ${advice}</p><p>${shownBy} ${isolated(program)}, ${formats.ago(seenAt, now)}.</p>`,
      );
    })}</div>`,
  );
}
