/** Jobs, integrations with trouble, lists and campaigns: a few of each, with the way to all of them. */
import { TROUBLE_DAYS, type TroubledKey } from "#admin/numbers/overview.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { card, section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { titleOf } from "../jobs/job.texts.ts";
import { jobLink, jobProgress } from "../jobs/job-progress.ts";
import * as texts from "./overview.texts.ts";
import { atMost, type OverviewVisit, type Shown } from "./shown.ts";

const all = (label: string, href: string) => [buttonLink({ label, href, emphasis: "quiet" })];

export function jobsPart(visit: OverviewVisit, { jobs }: Shown): Html | null {
  if (jobs.length === 0) return null;
  const cards = jobs.map((job) =>
    card(html`<h3><a href="${jobLink(visit, job)}">${titleOf(job)}</a></h3>${jobProgress(visit, job)}`),
  );
  return section(texts.running, html`<div class="columns">${cards}</div>`, {
    actions: all(texts.allJobs, visit.link("/jobs")),
  });
}

export function troublesPart({ formats, link }: OverviewVisit, { troubledKeys: rows }: Shown): Html | null {
  if (rows.length === 0) return null;
  return section(
    texts.troubles,
    table({
      caption: texts.troubles,
      rows,
      href: ({ key }) => link(`/integrations/${key}`),
      columns: [
        { label: texts.integration, cell: ({ label, hint }) => texts.keyName(label, hint) },
        { label: texts.noticed, cell: quirksOf },
        { label: texts.calls, cell: ({ calls }) => formats.number(calls), isNumber: true, isMinor: true },
        { label: texts.refusals, cell: ({ refusals }) => formats.number(refusals), isNumber: true },
        { label: texts.faults, cell: ({ faults }) => formats.number(faults), isNumber: true },
      ],
    }),
    {
      description: texts.troublesDescription(formats.number(TROUBLE_DAYS)),
      actions: all(texts.allIntegrations, link("/integrations")),
    },
  );
}

const quirksOf = ({ quirks }: TroubledKey): Html =>
  html`${quirks.map(({ quirk }) => html`${badge(texts.quirks[quirk], "warning")} `)}`;

export const listsPart = ({ formats, link }: OverviewVisit, { largestLists: rows }: Shown): Html =>
  section(
    texts.largestLists,
    rows.length === 0
      ? card(html`<p>${texts.noLists}</p>`)
      : table({
          caption: texts.largestLists,
          rows,
          href: ({ id }) => link(`/lists/${id}`),
          columns: [
            { label: texts.list, cell: ({ name }) => name },
            { label: texts.members, cell: ({ members }) => formats.number(members), isNumber: true },
          ],
        }),
    { actions: all(texts.allLists, link("/lists")) },
  );

export function campaignsPart({ formats, link }: OverviewVisit, { lastCampaigns: rows }: Shown): Html {
  const count = (value: number): string => atMost(value, formats);
  const body =
    rows.length === 0
      ? card(html`<p>${texts.noCampaigns}</p>`)
      : table({
          caption: texts.lastCampaigns,
          rows,
          href: ({ id }) => link(`/campaigns/${id}`),
          columns: [
            { label: texts.campaign, cell: ({ name }) => name },
            {
              label: texts.sent,
              cell: ({ sentAt }) => (sentAt === null ? texts.notSent : formats.dateElement(sentAt)),
            },
            { label: texts.unsubscribed, cell: ({ events }) => count(events.unsubscribed), isNumber: true },
            { label: texts.bounced, cell: ({ events }) => count(events.bounced), isNumber: true },
            { label: texts.complained, cell: ({ events }) => count(events.complained), isNumber: true },
          ],
        });
  return section(texts.lastCampaigns, body, { actions: all(texts.allCampaigns, link("/campaigns")) });
}
