/** `mailroll campaign send --dry-run`: makes every message without sending it, and prints what it found. */

import { dryRunCampaign } from "#admin/campaigns/send.ts";
import { listJobs } from "#admin/jobs.ts";
import { inWords } from "#admin/kit/in-words.ts";
import { showSubscriber } from "#admin/subscribers/record.ts";
import { dryRunJob } from "#domain/job/kinds.ts";
import type { DryRunReport, DurationLimit, Finding } from "#domain/sending/dry-run.ts";
import type { Context } from "../../kit/command.ts";
import { requireFinished } from "../../kit/documents.ts";
import { counted, duration, formatNumber, progressText } from "../../kit/terminal/text.ts";

const LOOK_MS = 500;

const limits: Readonly<Record<DurationLimit, string>> = {
  perSecond: "the sender's limit per second",
  perDomainMinute: "the sender's limit per domain and minute",
  perDay: "the sender's limit per day",
  rendering: "making the messages on this machine; the relay may be slower",
};

export async function dryRun(context: Context, campaign: number): Promise<void> {
  const { perform, account, out } = context;
  const { id } = await account();
  const stopShowing = showProgress(context, id, campaign);
  try {
    const { job } = await perform(dryRunCampaign, { account: id, campaign });
    stopShowing();
    requireFinished(job);
    const report = job?.result as unknown as DryRunReport;
    const addresses = await addressesOf(context, id, report);
    out.result(document(report), () => describe(report, addresses));
  } finally {
    stopShowing();
  }
}

const findings = (found: DryRunReport["leftOut"], name: string) =>
  Object.entries(found).map(([word, finding]) => ({
    [name]: word,
    ...inWords(finding, { samples: "subscriberIds" }),
  }));
const document = (report: DryRunReport) => ({
  ...inWords(report, { campaign: "campaignId", people: "personCount", recipients: "recipientCount" }),
  leftOut: findings(report.leftOut, "reason"),
  emptyFields: findings(report.emptyFields, "mergeField"),
  problems: findings(report.problems, "kind"),
});

/** Returns a function that ends it. */
function showProgress({ perform, out }: Context, account: number, campaign: number): () => void {
  const startedAt = performance.now();
  const timer = setInterval(() => void look().catch(() => {}), LOOK_MS);
  return () => {
    clearInterval(timer);
    out.progress(null);
  };
  async function look(): Promise<void> {
    const { rows } = await perform(listJobs, { account, limit: 20 });
    const job = rows.find(({ name, ending }) => name === dryRunJob(campaign) && ending === null);
    if (job === undefined) return;
    const elapsedMs = performance.now() - startedAt;
    const what = `${counted(job.done, "subscriber")}`;
    out.progress(progressText({ what, part: null, rows: job.done, elapsedMs }));
  }
}

const everyFinding = ({ leftOut, emptyFields, problems }: DryRunReport): readonly Finding[] =>
  [leftOut, emptyFields, problems].flatMap((findings) => Object.values(findings));

async function addressesOf({ perform }: Context, account: number, report: DryRunReport) {
  const ids = new Set(everyFinding(report).flatMap(({ samples }) => samples));
  const addresses = new Map<number, string>();
  // A subscriber may have been erased meanwhile.
  for (const id of ids)
    await perform(showSubscriber, { account, id }).then(
      ({ record }) => addresses.set(id, record.address),
      () => null,
    );
  return addresses;
}

function describe(report: DryRunReport, addresses: ReadonlyMap<number, string>): string {
  const { people, recipients, leftOut, emptyFields, problems, expectedSeconds, limitedBy } = report;
  const examples = ({ samples }: Finding): string =>
    samples.map((id) => addresses.get(id) ?? `subscriber ${id}`).join(", ");
  const lines = (findings: Readonly<Record<string, Finding>>): readonly string[] =>
    Object.entries(findings).map(
      ([name, finding]) =>
        `  ${formatNumber(finding.count).padStart(9)}  ${name}${moreOf(finding)}: ${examples(finding)}`,
    );
  const section = (heading: string, findings: Readonly<Record<string, Finding>>): readonly string[] =>
    Object.keys(findings).length === 0 ? [] : ["", heading, ...lines(findings)];
  return [
    `Dry run of campaign ${report.campaign}: nothing was sent.`,
    "",
    `On the lists  ${formatNumber(people)}`,
    `Recipients    ${formatNumber(recipients)}`,
    ...(expectedSeconds === null || limitedBy === null
      ? []
      : [`Duration      at least ${duration(expectedSeconds)}, because of ${limits[limitedBy]}`]),
    ...section("Left out:", leftOut),
    ...section("Empty merge fields (a default helps):", emptyFields),
    ...section("Problems:", problems),
    ...conclusion(report),
  ].join("\n");
}

function conclusion(report: DryRunReport): readonly string[] {
  const { people, recipients } = report;
  if (people === 0) return ["", "Nobody would get this campaign: its lists are empty. Choose other lists."];
  if (recipients === 0)
    return [
      "",
      "Nobody would get this campaign, for the reasons above. Choose other lists, or correct them.",
    ];
  return everyFinding({ ...report, leftOut: {} }).length === 0 ? ["", "No problem was found."] : [];
}

const moreOf = ({ characters, bytes, text }: Finding): string =>
  typeof characters === "number"
    ? ` (up to ${formatNumber(characters)} characters)`
    : typeof bytes === "number"
      ? ` (up to ${formatNumber(Math.ceil(bytes / 1024))} KB)`
      : typeof text === "string"
        ? ` (${text})`
        : "";
