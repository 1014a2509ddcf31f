/** `mailroll import undo`: whom an import added is removed, and what it replaced is restored. */
import { undoImport } from "#admin/imports/imports.ts";
import { type StayReason, stayReasons, type UndoCounts, type UndoResult } from "#domain/import/undo.ts";
import type { Job } from "#domain/job/job.ts";
import type { Command, Context } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { jobDocument, requireFinished } from "../../kit/documents.ts";
import { parseId } from "../../kit/parse-call.ts";
import { noteLines } from "../../kit/terminal/output.ts";
import { counted, formatNumber } from "../../kit/terminal/text.ts";

const stayTexts: Readonly<Record<StayReason, string>> = {
  addedSince: "stay on the list: added again since by a call or an operator, or by a later import",
  optedOut: "kept off the list as subscribers: they opted out, bounced or complained, and that stays",
  mailed: "kept off the list as subscribers: a campaign was sent to them",
  changedSince: "kept as subscribers: a call, an operator or the person has changed them since",
};

function lines(counts: UndoCounts, laterImports: readonly number[]): readonly string[] {
  const { deleted, removed, restored, stayed, keptValues } = counts;
  const values = (count: number): string => counted(count, "value", "values");
  const all: readonly (readonly [number, string])[] = [
    [deleted, "deleted: the import created them, and nothing else is known of them"],
    [removed, "removed from the list, but kept as subscribers"],
    [
      restored.subscribers,
      `of those who are kept get back ${values(restored.values)}, or lose what the import filled in`,
    ],
    ...stayReasons
      .filter((reason) => stayed[reason] > 0)
      .map((reason) => [stayed[reason], stayTexts[reason]] as const),
    ...(keptValues === 0 ? [] : [[keptValues, "values kept, because they were changed since"] as const]),
  ];
  const width = Math.max(...all.map(([count]) => formatNumber(count).length));
  return [
    ...all.map(([count, what]) => `${formatNumber(count).padStart(width + 2)}  ${what}`),
    "Lists and fields that were created for the import stay.",
    ...(laterImports.length === 0
      ? []
      : [
          `Later imports: ${laterImports.join(", ")}. If they are wrong, too, undo the latest first. If they are right, import their files again afterwards: a value that was in both is restored, too.`,
        ]),
  ];
}

const resultOf = (job: Job | null): UndoResult | null => job?.result as UndoResult | null;
const textOf = (job: Job | null, first: string): string => {
  const result = resultOf(job);
  return result === null ? first : [first, ...lines(result.counts, result.laterImports)].join("\n");
};

async function undo(context: Context): Promise<void> {
  const { args, has, performInAccount, out, now } = context;
  const id = parseId(args[0], "ID");
  const isDryRun = has("dry-run");
  if (!isDryRun && !has("yes")) {
    const { job } = await performInAccount(undoImport, { id, isDryRun: true });
    requireFinished(job);
    noteLines(out, `undoing import ${id} would do this:`, textOf(job, "").replace(/^\n/, ""));
    const what = `import ${id}`;
    const consequence = "The import cannot be repeated without its file.";
    await requireConfirmation(context, { verb: "Undo", done: "undone", what, consequence });
  }
  const { job } = await performInAccount(undoImport, { id, isDryRun });
  out.result({ job: job && jobDocument(job, now) }, () =>
    textOf(
      job,
      isDryRun ? `Undoing import ${id} would do this. Nothing was changed.` : `Import ${id} was undone.`,
    ),
  );
  requireFinished(job);
}

export const importUndo: Command = {
  name: "import undo",
  args: ["ID"],
  options: {
    "dry-run": { doc: "Count what would be done, and change nothing." },
    ...yesOption,
  },
  doc: "Undoes an import of subscribers: removes whom it added, and restores what it replaced.",
  details: `Subscribers whom the import created are deleted, if nothing else is known of them. Others leave the list of the
import, as if they had never been added, and get back the values that they had.

What was changed since stays: by a call, by an operator, by the person, or by a later import. An opt-out is never undone,
whether it is of the file or came since, and neither is a block. Lists and fields stay.

An import can be undone for 30 days, also one that was interrupted. If several imports are wrong, undo the latest first.
If the command is interrupted, a server continues it.`,
  example: "import undo 1 --dry-run",
  run: undo,
};
