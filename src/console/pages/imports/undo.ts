/**
 * `/console/{account}/imports/{import}/undo`: counts in a dry run what undoing an import would do, shows it,
 * and then asks.
 */
import { findImport, undoImport } from "#admin/imports/imports.ts";
import { showJob } from "#admin/jobs.ts";
import { type StayReason, stayReasons, type UndoResult } from "#domain/import/undo.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { confirmation, notice } from "#html/components/feedback.ts";
import { table } from "#html/components/table.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { NoSuchPage } from "../../kit/errors.ts";
import { idsIn } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { type Answer, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { jobLink, jobProgress } from "../jobs/job-progress.ts";

export const undoLabel = "Undo this import";
const WOULD_HAPPEN = "What would happen";

const stayTexts: Readonly<Record<StayReason, string>> = {
  addedSince: "Stay on the list: added again since, by somebody here, a program or a later import",
  optedOut: "– of them, because they opted out, bounced or complained, and that stays",
  mailed: "– of them, because a campaign was sent to them",
  changedSince: "– of them, because they were changed since",
};
const consequences: readonly string[] = [
  "What was changed since by somebody here, by a program or by the person stays as it is.",
  "Nobody who opted out gets mail again, and blocks stay.",
  "The list and its fields stay. If they were only for this import, delete them afterwards.",
];

/** What an undo has done, or would do, as rows with a number. */
export const undoRows = (
  { counts }: Pick<UndoResult, "counts">,
  { number, count }: Formats,
): readonly (readonly [string, Insert])[] => {
  const { deleted, removed, restored, stayed, keptValues } = counts;
  return [
    ["Deleted: the import created them, and nothing else is known of them", number(deleted)],
    ["Removed from the list, but kept as subscribers", number(removed)],
    [
      "Kept, and get back the values from before, or lose what the import filled in",
      restored.subscribers === 0
        ? number(0)
        : `${number(restored.subscribers)} (${count(restored.values, "value")})`,
    ],
    ...stayReasons.flatMap((reason) =>
      stayed[reason] === 0 ? [] : [[stayTexts[reason], number(stayed[reason])] as const],
    ),
    ...(keptValues === 0
      ? []
      : [["Values that stay, because they were changed since", count(keptValues, "value")] as const]),
  ];
};

const PATH = "/{account}/imports/{import}/undo";
type Here = PageContext<typeof PATH>;
const DRY_RUN = "dryRun";

async function show(context: Here): Promise<Answer> {
  const { link, params, performHere, query } = context;
  const found = await performHere(findImport, { id: params.import });
  const back = link(`/imports/${found.id}`);
  if (found.undoableUntilAt === null) return redirect(back);
  const [id] = idsIn(query.get(DRY_RUN) ?? "");
  const header = { title: undoLabel, parent: { label: found.fileName, href: back } };
  return titled(header, id === undefined ? begin(context, back) : await counted(context, id, back));
}

function begin(context: Here, back: string): Html {
  return confirmation({
    title: "What would be undone?",
    consequences: [
      "First it is only counted: who would be removed, and what would be restored. Nothing changes.",
      "Afterwards you see the numbers, and decide.",
    ],
    affected: null,
    isDangerous: false,
    body: formOf("count", {
      state: context.formState("count"),
      isIdempotent: true,
      body: buttonRow(
        button({ label: "Count", emphasis: "primary" }),
        buttonLink({ label: "Cancel", href: back, emphasis: "quiet" }),
      ),
    }),
  });
}

async function counted(context: Here, id: number, back: string): Promise<Html> {
  const { formats, link, params, path, performHere } = context;
  const job = await performHere(showJob, { id });
  if (job.name !== `dry-run-undo ${params.import}`) throw new NoSuchPage();
  if (job.ending === null) return jobProgress(context, job, `${path}?${DRY_RUN}=${id}`);
  if (job.ending !== "finished" || job.result === null)
    return html`${notice("warning", "The count has ended without a result. Start it again.", job.lastError)}${begin(context, back)}`;
  const result = job.result as UndoResult;
  const later = result.laterImports.map((one) => html` <a href="${link(`/imports/${one}`)}">${one}</a>`);
  return html`<div class="stack">${table({
    caption: WOULD_HAPPEN,
    rows: undoRows(result, formats),
    columns: [
      { label: WOULD_HAPPEN, cell: ([what]) => what },
      { label: "People", cell: ([, count]) => count, isNumber: true },
    ],
  })}${
    later.length === 0
      ? null
      : notice(
          "warning",
          "There are later imports",
          html`<p>${later.length === 1 ? "Import" : "Imports"}${later}. If one of them is wrong, too, undo the latest first. If it is right, import its file again afterwards: a value that is in both files is restored, too.</p>`,
        )
  }${confirmation({
    title: "Undo the import?",
    consequences,
    affected: null,
    isDangerous: true,
    body: formOf("undo", {
      state: context.formState("undo"),
      isIdempotent: true,
      body: buttonRow(
        button({ label: undoLabel, emphasis: "danger" }),
        buttonLink({ label: "Cancel", href: back, emphasis: "quiet" }),
      ),
    }),
  })}</div>`;
}

const start = async (context: Here, isDryRun: boolean) =>
  (await context.performHere(undoImport, { id: context.params.import, isDryRun })).job;

export const undoPage = page({
  path: PATH,
  role: "editor",
  show,
  forms: {
    count: async (context) => {
      const job = await start(context, true);
      return redirect(job === null ? context.path : `${context.path}?${DRY_RUN}=${job.id}`);
    },
    undo: async (context) => {
      const job = await start(context, false);
      const isEnded = job === null || job.ending !== null;
      const to = isEnded ? context.link(`/imports/${context.params.import}`) : jobLink(context, job);
      return redirect(to, "The import is being undone. This page shows its progress.");
    },
  },
});
