/** `/console/{account}/imports/{import}`: one import, while it runs and afterwards. */
import { sentence } from "#admin/error-texts.ts";
import {
  findImport,
  findImportJob,
  type RecordedImport,
  readRows,
  type SampleRow,
} from "#admin/imports/imports.ts";
import { cancelJob } from "#admin/jobs.ts";
import { NotFound } from "#admin/kit/errors.ts";
import { findUpload } from "#admin/uploads.ts";
import type { Clock } from "#domain/clocks.ts";
import { rowsOf } from "#domain/import/batch.ts";
import type { Job } from "#domain/job/job.ts";
import { badge } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation, notice } from "#html/components/feedback.ts";
import { definitions } from "#html/components/figures.ts";
import { section, steps } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { goneAsNull } from "../../kit/errors.ts";
import { doing } from "../../kit/form.ts";
import { type Answer, eventPage, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import {
  figures,
  leftOutPart,
  outcomesTexts,
  outcomeTable,
  reasonTable,
  rejectedTable,
  reportOf,
  sentences,
  uploadTexts,
} from "./outcomes.ts";
import { liveProgress, type Moment, progressEvents, rejectedLinks, rejectedRowsTexts } from "./progress.ts";
import { undoLabel } from "./undo.ts";
import { listsOf } from "./upload-parts.ts";

const STOP = "Stop the import";
const FAILED_ADVICE = "What it imported before that stays.";

function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  if (seconds < 120) return seconds === 1 ? "1 second" : `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}

const PATH = "/{account}/imports/{import}";
type ImportContext = PageContext<typeof PATH>;
type Asker = Pick<ImportContext, "performHere" | "params">;
const idOf = ({ params }: Asker) => ({ id: params.import });

/** A viewer may not see uploads, so the size of the file is known to editors only. */
async function sizeOf(
  { performHere, may }: Asker & Pick<ImportContext, "may">,
  job: Job,
): Promise<number | null> {
  const id = job.result?.upload;
  if (!may("editor") || typeof id !== "number" || job.ending !== null) return null;
  return (await performHere(findUpload, { id }).catch(goneAsNull))?.size ?? null;
}
async function momentOf(context: Asker & Pick<ImportContext, "may">, at: number): Promise<Moment | null> {
  const job = await context.performHere(findImportJob, idOf(context));
  if (job === null) return null;
  const { counts } = await context.performHere(findImport, idOf(context));
  return { job, size: await sizeOf(context, job), at, counts };
}

async function show(context: ImportContext): Promise<Answer> {
  const { performHere, link, may, now, query } = context;
  // In this order: if the job ends in between, the page is still live, and its stream shows the result.
  const moment = await momentOf(context, now);
  const found = await performHere(findImport, idOf(context));
  const job = moment?.job ?? null;
  const isLive = moment !== null && job?.ending === null;
  const isStopping = isLive && query.has("stop") && may("editor");
  const rejected = await rejectedOf(context, found, job);
  const actions = [
    ...(isLive && may("editor") && !isStopping
      ? [buttonLink({ label: STOP, href: `${context.path}?stop` })]
      : []),
    ...(!isLive && may("editor") && found.undoableUntilAt !== null
      ? [buttonLink({ label: undoLabel, href: link(`/imports/${found.id}/undo`) })]
      : []),
    ...(!isLive && may("editor")
      ? [buttonLink({ label: "Import another file", href: link("/imports"), icon: "import" })]
      : []),
  ];
  const lists = await listsOf(context);
  const list = lists.find(({ id }) => id === found.list) ?? null;
  return titled(
    {
      title: found.fileName,
      parent: { label: "Import", href: link("/imports") },
      aside: stateBadge(found, job),
      actions,
    },
    html`${isLive ? steps(uploadTexts.stepsLabel, uploadTexts.steps, 3) : null}
${isStopping ? stopPart(context) : null}
${isLive ? liveProgress(moment, context.formats, `${link(`/imports/${found.id}`)}/events`, context.path) : html`${undoNotice(context, found)}${endNotice(found, job)}`}
${isLive ? null : result(context, found, job)}
${job === null ? null : leftOutPart(reportOf(job)?.leftOut ?? [], true, context.formats)}
${rejectedPart(context, found, job, rejected)}
${section("Details", facts(context, found, list))}`,
  );
}

function stateBadge({ finishedAt, undoneAt }: RecordedImport, job: Job | null): Html {
  if (undoneAt !== null) return badge("Undone", "neutral");
  if (finishedAt !== null) return badge("Finished", "good");
  if (job?.ending === null) return badge("Running", "info");
  if (job?.ending === "cancelled") return badge("Stopped", "neutral");
  return job?.ending === "failed" ? badge("Failed", "bad") : badge("Not finished", "warning");
}

function undoNotice({ formats }: ImportContext, { undoneAt, undoStartedAt }: RecordedImport): Html | null {
  if (undoneAt !== null)
    return notice(
      "info",
      `This import was undone on ${formats.dateTime(undoneAt)}`,
      "The numbers below are those of the import, before it was undone.",
    );
  return undoStartedAt === null
    ? null
    : notice("warning", "This import is being undone, or only a part of it was. It adds nobody any more.");
}

function endNotice({ finishedAt }: RecordedImport, job: Job | null): Html | null {
  if (finishedAt !== null) return null;
  if (job?.ending === "cancelled") return notice("info", "The import was stopped", FAILED_ADVICE);
  if (job?.ending === "failed")
    return notice(
      "bad",
      "The import ended before the last row",
      `${sentence(job.lastError ?? "")} ${FAILED_ADVICE}`,
    );
  return notice(
    "warning",
    "The import was interrupted. What it imported stays; import the file again for the rest.",
  );
}

const stopPart = ({ path }: ImportContext): Html =>
  confirmation({
    ...{
      title: "Stop the import?",
      consequences: [
        "The rows imported so far stay.",
        "The rest of the file is not imported. To continue later, import the file again: nobody is added twice.",
      ],
      affected: null,
      isDangerous: false,
    },
    body: html`<form method="post" action="${path}">${doing("stop")}${buttonRow(
      button({ label: STOP, emphasis: "danger" }),
      buttonLink({ label: "Continue the import", href: path }),
    )}</form>`,
  });

function result({ formats }: ImportContext, found: RecordedImport, job: Job | null): Html {
  const shown = { counts: found.counts, isDone: true, formats };
  const rows = formats.count(rowsOf(found.counts), "row");
  const time = found.finishedAt === null ? "" : ` in ${duration(found.finishedAt - found.startedAt)}`;
  const mislabelled = job === null ? 0 : (reportOf(job)?.mislabelled ?? 0);
  return section(
    "Result",
    html`<div class="stack">${figures(shown)}${sentences(shown)}${
      mislabelled > 0 ? notice("warning", uploadTexts.mislabelled(formats.number(mislabelled))) : null
    }${outcomeTable("Outcome", shown)}</div>`,
    { description: `${rows}${time}.` },
  );
}

const reasonsIn = (job: Job | null) => (job === null ? null : reportOf(job))?.reasons ?? [];

async function rejectedOf(
  { performHere, may }: ImportContext,
  { rejectedUpload }: RecordedImport,
  job: Job | null,
): Promise<readonly SampleRow[]> {
  if (rejectedUpload === null || !may("editor")) return [];
  const format = { separator: null, encoding: null };
  const reasons = reasonsIn(job).map(([reason]) => reason);
  return (await performHere(readRows, { upload: rejectedUpload, format, lines: null, reasons })).rows;
}

function rejectedPart(
  { may, link, formats }: ImportContext,
  { id, counts, rejectedUpload }: RecordedImport,
  job: Job | null,
  rows: readonly SampleRow[],
): Html | null {
  if (counts.rejected === 0) return null;
  const reasons = reasonsIn(job);
  const href = link(`/imports/${id}/rejected-rows`);
  const isThere = rejectedUpload !== null;
  return section(
    "Rejected rows",
    html`${reasons.length === 0 ? null : reasonTable(reasons, rows, formats)}${
      rows.length === 0
        ? null
        : html`<details class="samples"><summary>${outcomesTexts.firstRejected}</summary>${rejectedTable(rows)}</details>`
    }`,
    {
      description: !isThere
        ? "The rejected rows are deleted: they are kept for a day, or until a subscriber of this account is erased."
        : may("editor")
          ? `The download has each rejected row as it was in the file, with its line and the reason. Correct the rows and import that file: what is imported already stays. ${rejectedRowsTexts.hint}`
          : null,
      actions: isThere && may("editor") ? rejectedLinks(href) : [],
    },
  );
}

function facts(
  { link, formats }: ImportContext,
  found: RecordedImport,
  list: { readonly id: number; readonly name: string } | null,
): Html {
  const into =
    found.list === null
      ? (["Contains", "Addresses not to mail"] as const)
      : ([
          "Into the list",
          list === null ? "a deleted list" : html`<a href="${link(`/lists/${list.id}`)}">${list.name}</a>`,
        ] as const);
  return definitions([
    into,
    ["Started by", found.actor.name ?? "somebody"],
    ["Started", formats.time(found.startedAt)],
    ...(found.finishedAt === null ? [] : [["Ended", formats.time(found.finishedAt)] as const]),
    ...(found.undoableUntilAt === null
      ? []
      : [["Can be undone until", formats.time(found.undoableUntilAt)] as const]),
  ]);
}

export const importPage = page({
  path: PATH,
  role: "viewer",
  show,
  forms: {
    stop: async (context) => {
      const job = await context.performHere(findImportJob, idOf(context));
      if (job === null) throw new NotFound("job", "");
      await context.performHere(cancelJob, { id: job.id });
      return redirect(context.path, "The import stops after the current rows.");
    },
  },
});

export const importEvents = ({ clock }: { readonly clock: Clock }) =>
  eventPage({
    path: "/{account}/imports/{import}/events",
    role: "viewer",
    events: (context, signal) => progressEvents(() => momentOf(context, clock()), context.formats, signal),
  });
