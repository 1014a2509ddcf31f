/** `/console/{account}/campaigns/{campaign}`: what came of one campaign, in numbers and per day. */
import { type CampaignDay, eventsPerDay } from "../../../admin/campaigns/results.ts";
import { dateOf } from "../../../domain/calendar.ts";
import type { CampaignEvent } from "../../../domain/campaign.ts";
import { badge } from "../../../html/components/badge.ts";
import { stackedChart } from "../../../html/components/charts/stacked-chart.ts";
import { emptyState } from "../../../html/components/feedback.ts";
import { stats } from "../../../html/components/figures.ts";
import { section } from "../../../html/components/page-header.ts";
import { table } from "../../../html/components/table.ts";
import { type Html, html } from "../../../html/html.ts";
import { withQuery } from "../../kit/addresses/query.ts";
import { content, page } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./campaign.texts.ts";
import {
  addressOf,
  campaignHeader,
  eventKinds,
  foundCampaign,
  type ShownCampaign,
} from "./campaign-header.ts";

const PATH = "/{account}/campaigns/{campaign}";
type CampaignVisit = Visit<typeof PATH>;

const looks = { unsubscribe: "in", "hard-bounce": "mid", complaint: "out" } as const satisfies Record<
  CampaignEvent,
  string
>;

export const campaignPage = page({
  path: PATH,
  show: async (visit) => {
    const found = await foundCampaign(visit);
    return content(
      found.name,
      html`${campaignHeader(visit, found, null)}
${await resultsOf(visit, found)}
${listsOf(visit, found)}`,
    );
  },
});

const totalOf = (events: ShownCampaign["events"]): number =>
  eventKinds.reduce((total, kind) => total + events[kind], 0);

async function resultsOf(visit: CampaignVisit, found: ShownCampaign): Promise<Html> {
  const { formats, perform, account, query, now } = visit;
  if (totalOf(found.events) === 0)
    return emptyState({ title: texts.nothingTitle, text: texts.nothing, icon: "check" });
  const hasAllDays = query.get("days") === "all";
  const days = await perform(eventsPerDay, {
    account: account.id,
    campaign: found.id,
    from: null,
    to: hasAllDays ? dateOf(now) : null,
  });
  const numbers = eventKinds.map((kind) => ({
    label: texts.kinds[kind].title,
    value: formats.number(found.events[kind]),
    href: `${addressOf(visit, found.id)}/${texts.kinds[kind].path}`,
  }));
  return html`<div class="stack">
${stats(numbers)}
${chartOf(visit, days)}
${outsideOf(visit, found, days, hasAllDays)}
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

/** The chart begins on the day of sending, so some results may not be in it. */
function outsideOf(
  { formats, path }: CampaignVisit,
  { events }: ShownCampaign,
  days: readonly CampaignDay[],
  hasAllDays: boolean,
): Html | null {
  const outside = totalOf(events) - days.reduce((total, day) => total + totalOf(day.events), 0);
  const other = hasAllDays
    ? html`<a href="${path}">${texts.fewDays}</a>`
    : html`<a href="${withQuery(path, { days: "all" })}">${texts.allDays}</a>`;
  if (outside <= 0) return hasAllDays ? html`<p class="description">${other}</p>` : null;
  return html`<p class="description">${texts.outside(formats.number(outside))} ${other}</p>`;
}

function listsOf({ formats, link }: CampaignVisit, { lists }: ShownCampaign): Html {
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
  return section(texts.lists, body, { description: texts.listsDescription });
}
