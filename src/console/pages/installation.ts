/** Every page of the installation, but the pages that an account has as well. */
import { listJobs } from "#admin/jobs.ts";
import { showSettings } from "#admin/settings.ts";
import { type Job, stateOfJob } from "#domain/job/job.ts";
import type { SettingSource, SettingValue } from "#domain/setting-value.ts";
import { badge, type Tone } from "#html/components/badge.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { pagedTable } from "../kit/listing.ts";
import type { ConsoleOptions } from "../kit/options.ts";
import { type AnyPage, page } from "../kit/page.ts";
import { accountOf, installationJobEvents, installationJobPage } from "./jobs/job.ts";
import { doneText, isMaintenance, jobBadge, jobLink, titleOf } from "./jobs/job-progress.ts";
import { type AnyPageContext, settingsContent } from "./settings/settings-header.ts";

/** `/console/installation/jobs`: jobs of all accounts, and of the service itself. */
const PAGE = 50;

/** A job of an account leads to its page there, unless it deletes the account. */
const pageOf = ({ base, link, account: none }: AnyPageContext, { account, id, kind }: Job): string =>
  account === null || kind === "delete-account"
    ? jobLink({ link, account: none }, { id })
    : `${base}/${account}/jobs/${id}`;

const errorOf = ({ formats }: AnyPageContext, { lastError, attempts }: Job): string | null =>
  lastError === null || attempts === 0 ? null : `Failed ${formats.number(attempts)} times: ${lastError}`;

const installationJobsPage = page({
  path: "/installation/jobs",
  role: "administrator",
  show: async (context) => {
    const { list, formats, now, path } = context;
    const found = await list(listJobs, { limit: PAGE });
    const body = pagedTable({ path }, found, {
      caption: "Jobs",
      href: (job) => pageOf(context, job),
      columns: [
        { label: "Job", cell: titleOf, detail: (job) => errorOf(context, job) },
        { label: "State", cell: (job) => jobBadge(stateOfJob(job, now)) },
        { label: "Account", cell: (job) => accountOf(context, job) },
        {
          label: "Done",
          cell: (job) => (isMaintenance(job) ? null : doneText(job, formats)),
          isNumber: true,
        },
        { label: "Started", cell: ({ createdAt }) => formats.time(createdAt) },
        { label: "By", cell: ({ by }) => by?.name ?? by?.id ?? "the service", isMinor: true },
      ],
      text: (count) => formats.count(count, "job", "jobs, newest first"),
      empty: {
        title: "No jobs",
        text: "Imports, large changes and maintenance appear here while they run, and for 30 days afterwards.",
        icon: "clock",
      },
    });
    return settingsContent(
      context,
      "/jobs",
      "Jobs",
      html`<div class="stack"><p class="description">Background work of all accounts, and the periodic maintenance of the service. Ended jobs are kept for 30 days.</p>
<div>${body}</div></div>`,
    );
  },
});

const sources: Readonly<Record<SettingSource, readonly [label: string, tone: Tone]>> = {
  flag: ["Flag", "info"],
  environment: ["Environment", "info"],
  file: ["File", "info"],
  default: ["Default", "neutral"],
};

/** `/console/installation`: the settings of the service, each with the source of its value. Read only. */
function shownValue({ isSet, isSecret, value }: SettingValue): Html {
  if (!isSet) return html`<span class="absent">not set</span>`;
  return isSecret ? html`<span class="absent">set, not shown</span>` : html`<code>${value}</code>`;
}

function sourceOf({ source, isSet }: SettingValue): Html | null {
  if (source === "default" && !isSet) return null;
  const [label, tone] = sources[source];
  return badge(label, tone);
}

/** Where it can be set. */
const nameOf = ({ name, flag, variable, doc }: SettingValue): Html =>
  html`<span class="lines"><span>${name}</span><small>${doc}</small><small><code>${flag}</code> <code>${variable}</code></small></span>`;

const settingsPage = page({
  path: "/installation",
  role: "administrator",
  show: async (context) => {
    const settings = await context.perform(showSettings, {});
    const groups = [...new Set(settings.map(({ group }) => group))];
    return settingsContent(
      context,
      "",
      "Settings of the installation",
      html`<p class="description">The settings that the service was started with. To change one, set it at its source and restart the service. A flag overrides a variable, which overrides the file mailroll.config.json, which overrides the default.</p>
${groups.map((group) =>
  section(
    group,
    table({
      caption: group,
      rows: settings.filter((one) => one.group === group),
      columns: [
        { label: "Setting", cell: nameOf },
        { label: "Value", cell: shownValue },
        { label: "Source", cell: sourceOf },
      ],
    }),
  ),
)}`,
    );
  },
});

export const installationPages = (options: ConsoleOptions): readonly AnyPage[] => [
  settingsPage,
  installationJobsPage,
  installationJobPage,
  installationJobEvents(options),
];
