/**
 * Imports of uploads: what a table would mean, and an import as a job. The job goes through the same code as
 * an import of the command line.
 */
import { actorName } from "#domain/access/audit.ts";
import type { ImportId } from "#domain/access/origin.ts";
import { noSubscriberCounts, noSuppressionCounts } from "#domain/import/batch.ts";
import type { PlannedNames } from "#domain/import/job.ts";
import type { Job } from "#domain/job/job.ts";
import { nameKey, parseName } from "#domain/text/name.ts";
import { requestLease } from "#jobs/foreground.ts";
import { foundFormats, type TablePreview } from "#transfer/preview-table.ts";
import type { ColumnTarget } from "#transfer/table/columns.ts";
import { action } from "../kit/action.ts";
import { type InvalidInput, NotPossible, Refused } from "../kit/errors.ts";
import { requireName } from "../kit/inputs.ts";
import { tooManyJobs } from "../kit/start-job.ts";
import { findList } from "../lists.ts";
import { type ImportUpload, inspectUpload, invalidInput } from "./inspect-upload.ts";
import { storedSettings } from "./job-settings.ts";

export { foundFormats };

export interface Preview extends Omit<TablePreview, "problem"> {
  /** What a heading may be mapped to. */
  readonly targets: readonly ColumnTarget[];
  /** What `startImport` would throw; null: the first rows are right. */
  readonly problem: InvalidInput | null;
}

/** What the columns of a table mean, and its first rows. Changes nothing. */
export const previewImport = action(
  "import.preview",
  "editor",
  "nothing",
  async (admin, asked: ImportUpload): Promise<Preview> => {
    const { preview, targets } = await inspectUpload(admin, asked);
    return { ...preview, targets, problem: preview.problem === null ? null : invalidInput(preview.problem) };
  },
);

/** What would be refused when the import starts is refused before its dry run. */
function requirePlanned({ list, fields }: PlannedNames, targets: readonly ColumnTarget[]): void {
  if (list !== null) requireName(list);
  const taken = new Set(targets.flatMap(({ field }) => (field === null ? [] : [nameKey(field)])));
  for (const heading of fields) {
    const name = parseName(heading);
    if (name === null) throw new Refused("InvalidFieldName");
    if (taken.has(nameKey(name))) throw new Refused("FieldExists");
    taken.add(nameKey(name));
  }
}

const notBegun = { pass: 1, rows: 0, bytes: 0 };

interface StartImport extends ImportUpload {
  readonly isDryRun: boolean;
}

/** Starts the job that imports an upload. `import` is null for a dry run. */
export const startImport = action(
  "import.start",
  "editor",
  "audit log",
  async (
    admin,
    asked: StartImport,
  ): Promise<{ readonly import: ImportId | null; readonly job: Job | null }> => {
    const { store, audit, actor, continueJob } = admin;
    const { account, upload: id, format, contents, isDryRun } = asked;
    const { upload, preview, targets } = await inspectUpload(admin, asked);
    const list = contents.kind === "subscribers" ? contents.list : null;
    const planned = contents.kind === "subscribers" ? (contents.planned ?? null) : null;
    if (planned !== null && !isDryRun) throw new Error("only a dry run plans lists and fields");
    if (list !== null && planned?.list == null) await findList.run(admin, { account, id: list });
    if (planned !== null) requirePlanned(planned, targets);
    if (preview.problem !== null) throw invalidInput(preview.problem);
    await store.uploads.touch({ account, id, at: audit.at });
    const { name: fileName } = upload;
    const startedAt = audit.at;
    const counts = list === null ? noSuppressionCounts : noSubscriberCounts;
    const by = { startedBy: actorName(actor.origin) ?? "", startedKind: actor.origin.kind };
    const started = await store.imports.startJob({
      ...{ account, at: startedAt, lease: requestLease(startedAt), audit },
      batch: isDryRun ? null : { list, fileName, ...by, startedAt, counts },
      job: { upload: id, fileName, format, contents, startedAt },
      result: { upload: id, isDryRun, ...notBegun, settings: storedSettings({ format, contents }) },
    });
    if (started === "Running") throw new NotPossible(`upload ${id} is being imported already`);
    if (started === "TooMany") throw tooManyJobs();
    return { import: started.batch, job: await continueJob(started.lease) };
  },
);
