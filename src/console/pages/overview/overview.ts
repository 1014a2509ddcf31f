/** `/console/{account}`: an account at a glance. */
import { showOverview } from "#admin/numbers/overview.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { type Stat, stats } from "#html/components/figures.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import type { ConsoleOptions, Trouble } from "../../kit/context.ts";
import { content, page } from "../../kit/page.ts";
import { within } from "../growth/growth.texts.ts";
import { type Growth, growthPart, readGrowth } from "../growth/growth.ts";
import { firstSteps, hasFigures, needsFirstSteps } from "./first-steps.ts";
import * as texts from "./overview.texts.ts";
import { campaignsPart, jobsPart, listsPart, troublesPart } from "./parts.ts";
import { atMost, type OverviewVisit, type Shown } from "./shown.ts";

export const overviewPage = ({ troubles }: Pick<ConsoleOptions, "troubles">) =>
  page({
    path: "/{account}",
    show: async (visit) => {
      const [shown, growth, found] = await Promise.all([
        visit.perform(showOverview, { account: visit.account.id }),
        readGrowth(visit, null),
        troubles(),
      ]);
      const isNew = needsFirstSteps(shown, growth);
      return content(
        texts.title,
        html`${header(visit, found, isNew)}
${isNew ? firstSteps(visit, shown) : null}
${
  hasFigures(shown, growth)
    ? figures(visit, shown, growth, isNew)
    : html`${jobsPart(visit, shown)}${troublesPart(visit, shown)}`
}`,
      );
    },
  });

function header({ may, link }: OverviewVisit, found: readonly Trouble[], isNew: boolean): Html {
  const top = pageHeader({
    title: texts.title,
    description: found.length === 0 ? html`${badge(texts.healthy, "good")} ${texts.allWell}` : null,
    actions:
      may("editor") && !isNew
        ? [buttonLink({ label: texts.importCsv, href: link("/imports"), icon: "import" })]
        : [],
  });
  if (found.length === 0) return top;
  const lines = found.map(({ reason, todo }) => html`<p>${sentence(reason)} ${todo}</p>`);
  return html`${top}${notice("bad", texts.unhealthy, html`${lines}`)}`;
}

const sentence = (reason: string): string => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;

const figures = (
  visit: OverviewVisit,
  shown: Shown,
  growth: Growth,
  isNew: boolean,
): Html => html`${isNew ? section(texts.numbers, tiles(visit, shown, growth)) : tiles(visit, shown, growth)}
${jobsPart(visit, shown)}
${growthPart(visit, growth, { active: texts.active })}
${troublesPart(visit, shown)}
<div class="columns uneven part">${listsPart(visit, shown)}${campaignsPart(visit, shown)}</div>`;

function tiles({ formats, link }: OverviewVisit, shown: Shown, growth: Growth): Html {
  const { joined, left } = growth;
  const detail = within(growth.days);
  const change = joined - left;
  const all: readonly Stat[] = [
    {
      label: texts.active,
      value: formats.number(shown.activeSubscribers),
      detail: `${formats.change(change)} ${detail}`,
      tone: change > 0 ? "good" : null,
      href: link("/subscribers"),
    },
    { label: texts.joined, value: formats.number(joined), detail },
    { label: texts.left, value: formats.number(left), detail },
    { label: texts.lists, value: atMost(shown.lists, formats), href: link("/lists") },
    {
      label: texts.refused,
      value: formats.number(shown.refusedCalls),
      detail: shown.refusedCalls === 0 ? texts.noneWaiting : texts.refusedWaiting,
      tone: shown.refusedCalls === 0 ? null : "warning",
      href: link("/refused-calls"),
    },
  ];
  return stats(all);
}
