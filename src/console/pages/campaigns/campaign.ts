/** `/console/{account}/campaigns/{campaign}`: what came of one campaign, in numbers and per day. */
import { showCampaign } from "#admin/campaigns/campaigns.ts";
import { type CampaignDay, eventsPerDay } from "#admin/campaigns/results.ts";
import { pauseCampaign, unscheduleCampaign } from "#admin/campaigns/sending/send.ts";
import { dateOf } from "#domain/calendar.ts";
import { type CampaignEvent, MAX_EVENTS } from "#domain/campaign.ts";
import { badge } from "#html/components/badge.ts";
import { stackedChart } from "#html/components/charts/stacked-chart.ts";
import { emptyState } from "#html/components/feedback.ts";
import { stats } from "#html/components/figures.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { withQuery } from "../../kit/addresses/query.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./campaign.texts.ts";
import {
  addressOf,
  campaignHeader,
  countOf,
  countsOf,
  eventKinds,
  ofCampaign,
  totalOf,
} from "./campaign-header.ts";
import { contentPart, sendingActions } from "./sending/composed.ts";
import { sendingPart } from "./sending/live.ts";
import { paused as pausedText, unscheduled as unscheduledText } from "./sending/steps/change-state.texts.ts";

const PATH = "/{account}/campaigns/{campaign}";
type CampaignVisit = Visit<typeof PATH>;
type ShownCampaign = Awaited<ReturnType<typeof showCampaign.run>>;

const looks = { unsubscribed: "in", bounced: "mid", complained: "out" } as const satisfies Record<
  CampaignEvent,
  string
>;

export const campaignPage = page({
  path: PATH,
  show: async (visit) => {
    const found = await visit.perform(showCampaign, ofCampaign(visit));
    const counts = countsOf(found);
    if (found.sending === null)
      return content(
        found.name,
        html`${campaignHeader(visit, found, null, counts)}
${await resultsOf(visit, found)}
${listsOf(visit, found, texts.listsDescription)}`,
      );
    const { sending } = found;
    const hasResults = totalOf(found).count > 0;
    return content(
      found.name,
      html`${campaignHeader(visit, found, null, counts, sendingActions(visit, sending))}
${sending.state === "draft" ? null : sendingPart(visit, sending)}
${hasResults ? section(texts.results, await resultsOf(visit, found)) : null}
${await contentPart(visit)}
${found.lists.length === 0 ? null : listsOf(visit, found, texts.sentListsDescription)}`,
    );
  },
  forms: {
    pause: {
      submit: async (visit) => {
        await visit.perform(pauseCampaign, ofCampaign(visit));
        return redirect(visit.path, pausedText);
      },
    },
    unschedule: {
      submit: async (visit) => {
        await visit.perform(unscheduleCampaign, ofCampaign(visit));
        return redirect(visit.path, unscheduledText);
      },
    },
  },
});

async function resultsOf(visit: CampaignVisit, found: ShownCampaign): Promise<Html> {
  const { perform, query, now } = visit;
  if (totalOf(found).count === 0)
    return emptyState({ title: texts.nothingTitle, text: texts.nothing, icon: "check" });
  const hasAllDays = query.get("days") === "all";
  const days = await perform(eventsPerDay, {
    ...ofCampaign(visit),
    from: null,
    to: hasAllDays ? dateOf(now) : null,
  });
  const counts = countsOf(found);
  const numbers = eventKinds.map((kind) => ({
    label: texts.kinds[kind].title,
    value: countOf(visit, counts[kind]),
    href: `${addressOf(visit, found.id)}/${texts.kinds[kind].path}`,
  }));
  return html`<div class="stack">
${stats(numbers)}
${chartOf(visit, days)}
${belowChart(visit, found, days, hasAllDays)}
</div>`;
}

/** From then on, the same day of two years may be in a chart. */
const LONG = 365;

const chartOf = ({ formats }: CampaignVisit, days: readonly CampaignDay[]): Html =>
  stackedChart({
    title: texts.perDay,
    locale: formats.locale,
    labelName: texts.day,
    series: eventKinds.map((kind) => ({ name: texts.kinds[kind].title, look: looks[kind] })),
    days: days.map(({ date, events }) => ({
      label: days.length > LONG ? formats.day(date) : formats.shortDay(date),
      values: eventKinds.map((kind) => events[kind]),
    })),
  });

/** What is not in the chart: results of other days, and those that are not counted. */
function belowChart(
  { formats, path }: CampaignVisit,
  found: ShownCampaign,
  days: readonly CampaignDay[],
  hasAllDays: boolean,
): Html | null {
  const shown = days.reduce(
    (sum, { events }) => sum + eventKinds.reduce((all, kind) => all + events[kind], 0),
    0,
  );
  const { count, hasMore } = totalOf(found);
  const cut = days.find(({ isComplete }) => !isComplete);
  const notes = [
    ...(cut === undefined ? [] : [texts.cut(formats.number(MAX_EVENTS), formats.day(cut.date))]),
    // How many are of other days is known only if all are counted.
    ...(hasMore || count <= shown ? [] : [texts.outside(formats.number(count - shown))]),
  ];
  if (notes.length === 0 && !hasMore && !hasAllDays) return null;
  const other = hasAllDays
    ? html`<a href="${path}">${texts.fewDays}</a>`
    : html`<a href="${withQuery(path, { days: "all" })}">${texts.allDays}</a>`;
  return html`<p class="description">${notes.join(" ")} ${other}</p>`;
}

function listsOf({ formats, link }: CampaignVisit, { lists }: ShownCampaign, description: string): Html {
  const body =
    lists.length === 0
      ? html`<p>${texts.noLists}</p>`
      : table({
          caption: texts.lists,
          rows: lists,
          columns: [
            {
              label: texts.list,
              cell: ({ id, name, isDeleted }) =>
                isDeleted
                  ? html`${name} ${badge(texts.deleted)}`
                  : html`<a href="${link(`/lists/${id}`)}">${name}</a>`,
            },
            {
              label: texts.members,
              cell: ({ members, isDeleted }) => (isDeleted ? "–" : formats.number(members)),
              isNumber: true,
            },
          ],
        });
  return section(texts.lists, body, { description });
}
