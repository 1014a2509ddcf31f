/** Imports: recorded when they begin. Their rows are saved in groups, with the counts so far. */
import type { ImportId } from "#domain/access/origin.ts";
import { DAY_MS } from "#domain/calendar.ts";
import { type ImportBatch, noSubscriberCounts } from "#domain/import/batch.ts";
import { type ImportJob, importJob } from "#domain/import/job.ts";
import { dryRunUndoJob, undoImportJob } from "#domain/job/kinds.ts";
import type { OfAccount } from "#domain/ports/command.ts";
import type { Imports } from "#domain/ports/imports.ts";
import { importBatch } from "../tables/entities.ts";
import { hasTooMany, isLeft, startWhole } from "./jobs/started-jobs.ts";
import { auditing } from "./kit/auditing.ts";
import type { Db } from "./kit/db.ts";
import { command, effect, feature, read } from "./kit/feature.ts";
import { completedListing } from "./kit/listing.ts";
import { byIdOf } from "./kit/of-account.ts";
import { change, integer, json, statement, text } from "./kit/statement.ts";

/** In an import that was recorded before a count existed, that count is zero. */
const withoutGaps = (row: ImportBatch): ImportBatch =>
  "recorded" in row.counts ? row : { ...row, counts: { ...noSubscriberCounts, ...row.counts } };

const byId = byIdOf(importBatch);
const insert = statement(
  { id: integer },
  `INSERT INTO import_batch (account_id, list_id, file_name, started_by, started_kind, started_at, counts,
     is_undoable)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   RETURNING id`,
);
const finish = change(
  "UPDATE import_batch SET counts = $3, finished_at = $4 WHERE account_id = $1 AND id = $2",
);

const progress = statement(
  { version: integer, rows: integer, state: text },
  "SELECT version, done_rows AS rows, state FROM import_progress WHERE account_id = $1 AND import_id = $2",
);
const dropProgress = change(
  `DELETE FROM import_progress
   WHERE EXISTS (
     SELECT 1
     FROM import_batch AS b
     WHERE b.account_id = import_progress.account_id
       AND b.id = import_progress.import_id
       AND (b.finished_at < $1 OR b.started_at < $2)
   )`,
);
/** No import continues after so long. */
const LONGEST_IMPORT_MS = 30 * DAY_MS;
/** There are few: one for each import that ended lately, or continues. */
export const purgeProgress = (db: Db, now: number): Promise<number> =>
  db.run(dropProgress, now - DAY_MS, now - LONGEST_IMPORT_MS);

const importJobs = statement(
  { args: json<Pick<ImportJob, "batch">>() },
  "SELECT args FROM job WHERE account_id = $1 AND kind = 'import' AND ended_at IS NULL",
);
const beginUndo = change(
  `UPDATE import_batch SET undo_started_at = coalesce(undo_started_at, $3)
   WHERE account_id = $1 AND id = $2 AND undone_at IS NULL`,
);

const showResult = change("UPDATE job SET result = $2 WHERE id = $1");

/** The import itself has the file, the user and the counts. */
const audited = auditing<Pick<ImportBatch, "list">>("import", ["list"]);

async function record(db: Db, args: Parameters<Imports["start"]>[0]): Promise<ImportId> {
  const { account, list, fileName, startedBy, startedKind = "operator", startedAt, counts, audit } = args;
  const source = [list, fileName, startedBy, startedKind, startedAt] as const;
  const { id } = await db.one(insert, account, ...source, JSON.stringify(counts), true);
  await audited(db, { account, audit }, id, null, { list });
  return id;
}

export const imports = feature<Omit<Imports, "add" | "states">>({
  all: completedListing(
    {
      row: importBatch.row,
      select: (condition) =>
        `SELECT ${importBatch.columns} FROM import_batch WHERE account_id = $1 AND ${condition}`,
      by: ["id"],
      descending: true,
      parameters: ({ account }: OfAccount) => [account],
    },
    async (_db, _args, rows) => rows.map(withoutGaps),
  ),
  byId: read(async (db, { account, id }) => {
    const found = await db.get(byId, account, id);
    return found === null ? null : withoutGaps(found);
  }),
  start: command(record),
  startJob: command(async (db, { account, batch, job, result, at, lease, audit }) => {
    const name = importJob(job.upload);
    if (await isLeft(db, name)) return "Running";
    if (await hasTooMany(db, account, name)) return "TooMany";
    // The entry of the audit log is that of the job.
    const id = batch === null ? null : await record(db, { ...batch, account });
    const started = await startWhole<"import">(db, {
      ...{ account, kind: "import", name, args: { ...job, batch: id }, total: null, at, lease, audit },
      audited: { list: job.contents.kind === "subscribers" ? job.contents.list : null, import: id },
    });
    await db.run(showResult, started.id, JSON.stringify({ ...result, import: id }));
    return { batch: id, lease: started };
  }),
  undo: command(async (db, { account, id, isDryRun, origin, at, lease, audit }) => {
    const jobs = await db.all(importJobs, account);
    if (jobs.some(({ args }) => args.batch === id)) return "Importing";
    if (await isLeft(db, undoImportJob(id))) return "Running";
    const name = isDryRun ? dryRunUndoJob(id) : undoImportJob(id);
    if (await hasTooMany(db, account, name)) return "TooMany";
    if (!isDryRun && (await db.run(beginUndo, account, id, at)) === 0) return "Undone";
    return startWhole<"undo-import" | "dry-run-undo">(db, {
      ...{ account, kind: isDryRun ? "dry-run-undo" : "undo-import", name, args: { import: id, origin } },
      ...{ total: null, at, lease, audit, audited: { import: id } },
    });
  }),
  progress: read((db, { account, id }) => db.get(progress, account, id)),
  finish: effect(async (db, { account, id, counts, finishedAt }) => {
    await db.run(finish, account, id, JSON.stringify(counts), finishedAt);
    await db.endImport();
  }),
});
