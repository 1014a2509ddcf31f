/** `/console/{account}`: an account at a glance. */

import { sentence } from "#admin/error-texts.ts";
import { dismissSteps, showOverview, TROUBLE_DAYS, type TroubledKey } from "#admin/overview.ts";
import { listSenders } from "#admin/senders/senders.ts";
import { DEMO_SENDS_NOTHING } from "#domain/sending/relay.ts";
import { MAX_COUNTED, type QuirkKind } from "#domain/statistics.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonLink } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { type Stat, stats } from "#html/components/figures.ts";
import { card, pageHeader, section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { icon } from "#html/icons.ts";
import { asTyped } from "#shipped.ts";
import { formOf } from "../kit/form-html.ts";
import type { Formats } from "../kit/formats.ts";
import { allRows } from "../kit/listing.ts";
import type { ConsoleOptions, Trouble } from "../kit/options.ts";
import { content, type PageContext, page, redirect } from "../kit/page.ts";
import { type Growth, growthPart, readGrowth, within } from "./growth.ts";
import { jobLink, jobProgress, titleOf } from "./jobs/job-progress.ts";
import { isWritten } from "./senders/senders.ts";

/** Steps that lead somewhere, each with a tick when it is done. */
interface Step {
  readonly title: string;
  readonly text: string;
  readonly isDone: boolean;
  /** A link to do it; null: the user cannot, or need not. */
  readonly action?: Html | null;
}

const checklist = (steps: readonly Step[]): Html => html`<ol class="checklist">
${steps.map(
  (
    { title, text, isDone, action },
    at,
  ) => html`<li${isDone ? html` class="done"` : null}><span class="check-sign" aria-hidden="true">${
    isDone ? icon("check") : at + 1
  }</span><div><h3>${title}${isDone ? html`<span class="visually-hidden"> (done)</span>` : null}</h3><p>${text}</p></div>${action ?? null}</li>
`,
)}</ol>`;

const quirkNames: Readonly<Record<QuirkKind, string>> = {
  "charset-mismatch": "Text in another charset than declared",
  "http-1.0": "HTTP/1.0",
  "wsdl-every-call": "Reads the WSDL for every call",
};
/** The form that dismisses the first steps. */
const DISMISS = "dismiss";
const overviewTexts = {
  active: "Active subscribers",
  troubles: "Integration problems",
  lastCampaigns: "Latest campaigns",
};

/** What the parts of the overview get. */
type Shown = Awaited<ReturnType<(typeof showOverview)["run"]>>;
type OverviewContext = PageContext<"/{account}">;

/** A number that is counted only up to a limit. */
const atMost = (count: number, formats: Formats): string =>
  `${formats.number(count)}${count < MAX_COUNTED ? "" : "+"}`;

// What to do first, until somebody dismisses it.

/** Calls may have been made already: a program can unsubscribe an address that was never on a list. */
const hasSubscribers = ({ activeSubscribers }: Shown, { joined }: Growth): boolean =>
  activeSubscribers + joined > 0;
/** Whether any number is not zero. */
const hasFigures = ({ activeSubscribers, refusedCalls }: Shown, { joined, left }: Growth): boolean =>
  activeSubscribers + refusedCalls + joined + left > 0;

function firstSteps(context: OverviewContext, shown: Shown, growth: Growth): Html {
  const { may, link, formState } = context;
  const { lists, keys, steps: found, lastCampaigns } = shown;
  const [draft] = lastCampaigns.filter(({ sentAt }) => sentAt === null);
  const campaign = draft === undefined ? "/campaigns/new" : `/campaigns/${draft.id}`;
  const steps = [
    {
      title: "Create a list",
      text: "People subscribe to lists, such as “Newsletter”.",
      isDone: lists > 0,
      action: may("editor") ? { label: "Create a list", href: link("/lists/new") } : null,
    },
    {
      title: "Import your subscribers",
      text: "From a CSV or Excel file with any column names. A dry run shows the result before anything is saved.",
      isDone: hasSubscribers(shown, growth),
      action: may("editor") ? { label: "Import a file", href: link("/imports") } : null,
    },
    {
      title: "Connect a program",
      text: "Your shop or the form on your website adds people with an API key.",
      isDone: keys > 0,
      action: may("owner") ? { label: "Create an API key", href: link("/integrations/new") } : null,
    },
    {
      title: "Create a sender",
      text: "The address that your campaigns come from, and the mail server that sends them.",
      isDone: found.hasSender,
      action: may("owner") ? { label: "Create a sender", href: link("/settings/senders/new") } : null,
    },
    {
      title: "Send a test message",
      text: "Write a campaign, and send it to yourself first. Its preview has the form for that.",
      isDone: found.hasTest,
      action: may("editor")
        ? { label: draft === undefined ? "Write a campaign" : "Open the campaign", href: link(campaign) }
        : null,
    },
    {
      title: "Send your first campaign",
      text: "Mailroll checks it before it starts. You can pause it at any time.",
      isDone: found.hasSentCampaign,
      action: may("owner") ? { label: "Go to the campaigns", href: link("/campaigns") } : null,
    },
    {
      title: "Take a backup",
      text: `On the server: “${asTyped("mailroll backup FILE")}”, best every night. If another program takes your backups, dismiss these steps.`,
      isDone: found.hasBackup,
      action: null,
    },
  ];
  const next = steps.find(({ isDone }) => !isDone);
  const list = checklist(
    steps.map((step) => ({
      ...step,
      action:
        step.action === null || step.isDone
          ? null
          : buttonLink({ ...step.action, emphasis: step === next ? "primary" : "plain" }),
    })),
  );
  const dismiss = formOf(DISMISS, {
    state: formState(DISMISS),
    look: "plain",
    body: button({ label: "Dismiss", emphasis: "quiet" }),
  });
  return section("First steps", list, {
    description: "In any order. A step is done when it is there, however it came to be.",
    actions: may("editor") ? [dismiss] : [],
  });
}

/** Jobs, integrations with trouble, lists and campaigns: a few of each, with the way to all of them. */
const all = (label: string, href: string) => [buttonLink({ label, href, emphasis: "quiet" })];

function jobsPart(context: OverviewContext, { jobs }: Shown): Html | null {
  if (jobs.length === 0) return null;
  const cards = jobs.map((job) =>
    card(html`<h3><a href="${jobLink(context, job)}">${titleOf(job)}</a></h3>${jobProgress(context, job)}`),
  );
  return section("Running now", html`<div class="columns">${cards}</div>`, {
    actions: all("All jobs", context.link("/jobs")),
  });
}

function troublesPart({ formats, link }: OverviewContext, { troubledKeys: rows }: Shown): Html | null {
  if (rows.length === 0) return null;
  return section(
    overviewTexts.troubles,
    table({
      caption: overviewTexts.troubles,
      rows,
      href: ({ key }) => link(`/integrations/${key}`),
      columns: [
        { label: "Integration", cell: ({ label, hint }) => (label === "" ? `Key ${hint}…` : label) },
        { label: "Noticed", cell: quirksOf },
        { label: "Calls", cell: ({ calls }) => formats.number(calls), isNumber: true, isMinor: true },
        { label: "Refused", cell: ({ refusals }) => formats.number(refusals), isNumber: true },
        { label: "Faults", cell: ({ faults }) => formats.number(faults), isNumber: true },
      ],
    }),
    {
      description: `Programs whose calls failed or were refused in the last ${formats.number(TROUBLE_DAYS)} days, or that behave unusually.`,
      actions: all("All integrations", link("/integrations")),
    },
  );
}

const quirksOf = ({ quirks }: TroubledKey): Html =>
  html`${quirks.map(({ quirk }) => html`${badge(quirkNames[quirk], "warning")} `)}`;

const listsPart = ({ formats, link }: OverviewContext, { largestLists: rows }: Shown): Html =>
  section(
    "Largest lists",
    rows.length === 0
      ? card(html`<p>No lists yet.</p>`)
      : table({
          caption: "Largest lists",
          rows,
          href: ({ id }) => link(`/lists/${id}`),
          columns: [
            { label: "List", cell: ({ name }) => name },
            { label: "Active members", cell: ({ members }) => formats.number(members), isNumber: true },
          ],
        }),
    { actions: all("All lists", link("/lists")) },
  );

function campaignsPart({ formats, link }: OverviewContext, { lastCampaigns: rows }: Shown): Html {
  const count = (value: number): string => atMost(value, formats);
  const body =
    rows.length === 0
      ? card(html`<p>No campaigns yet. Write one here, or record those that another tool sends.</p>`)
      : table({
          caption: overviewTexts.lastCampaigns,
          rows,
          href: ({ id }) => link(`/campaigns/${id}`),
          columns: [
            { label: "Campaign", cell: ({ name }) => name },
            {
              label: "When",
              cell: ({ sentAt }) => (sentAt === null ? "not sent" : formats.dateElement(sentAt)),
            },
            { label: "Unsubscribed", cell: ({ events }) => count(events.unsubscribed), isNumber: true },
            { label: "Bounced", cell: ({ events }) => count(events.bounced), isNumber: true },
            { label: "Complained", cell: ({ events }) => count(events.complained), isNumber: true },
          ],
        });
  return section(overviewTexts.lastCampaigns, body, { actions: all("All campaigns", link("/campaigns")) });
}

/** Null in an account that sends nothing. */
async function filesNotice(context: OverviewContext, options: Pick<ConsoleOptions, "mail">) {
  const senders = await allRows(context, listSenders);
  if (!senders.some((sender) => isWritten(sender, options))) return null;
  const { may, link } = context;
  const title = "Campaigns are written to files, and not sent";
  if (options.mail?.isDemo === true) return notice("info", title, sentence(DEMO_SENDS_NOTHING));
  return notice(
    "warning",
    title,
    html`There is no mail server. Set MAILROLL_SMTP to one and restart the service, or give the sender a relay.${
      may("owner") ? html` <a href="${link("/settings/senders")}">Go to the senders</a>` : null
    }`,
  );
}

export const overviewPage = (options: Pick<ConsoleOptions, "troubles" | "mail">) =>
  page({
    path: "/{account}",
    show: async (context) => {
      const [shown, growth, found, files] = await Promise.all([
        context.performHere(showOverview, {}),
        readGrowth(context, null),
        options.troubles(),
        filesNotice(context, options),
      ]);
      const isNew = !shown.steps.areDismissed;
      return content(
        "Overview",
        html`${header(context, found, isNew && !hasSubscribers(shown, growth))}
${files}
${isNew ? firstSteps(context, shown, growth) : null}
${
  hasFigures(shown, growth)
    ? figures(context, shown, growth, isNew)
    : html`${jobsPart(context, shown)}${troublesPart(context, shown)}`
}`,
      );
    },
    forms: {
      [DISMISS]: async ({ performHere, path }) => {
        await performHere(dismissSteps, {});
        return redirect(path);
      },
    },
  });

/** `isEmpty`: the first steps have the button for an import already. */
function header({ may, link }: OverviewContext, found: readonly Trouble[], isEmpty: boolean): Html {
  const top = pageHeader({
    title: "Overview",
    description:
      found.length === 0
        ? html`${badge("Healthy", "good")} The database responds, and there is enough disk space.`
        : null,
    actions:
      may("editor") && !isEmpty
        ? [buttonLink({ label: "Import", href: link("/imports"), icon: "import" })]
        : [],
  });
  if (found.length === 0) return top;
  const lines = found.map(({ reason, todo }) => html`<p>${sentence(reason)} ${todo}</p>`);
  return html`${top}${notice("bad", "The service needs attention", html`${lines}`)}`;
}

const figures = (
  context: OverviewContext,
  shown: Shown,
  growth: Growth,
  isNew: boolean,
): Html => html`${isNew ? section("In numbers", tiles(context, shown, growth)) : tiles(context, shown, growth)}
${jobsPart(context, shown)}
${growthPart(context, growth, { active: overviewTexts.active })}
${troublesPart(context, shown)}
<div class="columns uneven part">${listsPart(context, shown)}${campaignsPart(context, shown)}</div>`;

function tiles({ formats, link }: OverviewContext, shown: Shown, growth: Growth): Html {
  const { joined, left } = growth;
  const detail = within(growth.days);
  const change = joined - left;
  const all: readonly Stat[] = [
    {
      label: overviewTexts.active,
      value: formats.number(shown.activeSubscribers),
      detail: `${formats.change(change)} ${detail}`,
      tone: change > 0 ? "good" : null,
      href: link("/subscribers"),
    },
    { label: "Joined", value: formats.number(joined), detail },
    { label: "Left", value: formats.number(left), detail },
    { label: "Lists", value: atMost(shown.lists, formats), href: link("/lists") },
    {
      label: "Refused calls",
      value: formats.number(shown.refusedCalls),
      detail: shown.refusedCalls === 0 ? "nothing to do" : "to review",
      tone: shown.refusedCalls === 0 ? null : "warning",
      href: link("/refused-calls"),
    },
  ];
  return stats(all);
}
