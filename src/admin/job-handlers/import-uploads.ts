/**
 * Imports uploads, piece by piece. Rows, counts and how far it got are saved in one transaction, so that each
 * row takes effect and is counted once, whatever process continues. What this process holds in memory between
 * two pieces only saves reading the file from its beginning.
 */
import { CsvError } from "#csv/rows.ts";
import type { ImportJob, ImportJobProgress } from "#domain/import/job.ts";
import type { UploadId } from "#domain/import/upload.ts";
import { LEASE_MS } from "#domain/job/job.ts";
import type { JobResult } from "#domain/job/result.ts";
import { ImportMoved, ImportUndone } from "#domain/ports/errors.ts";
import type { JobWork } from "#jobs/do-job.ts";
import type { Services } from "#operations/caller.ts";
import { ListGone } from "#transfer/import/batcher.ts";
import { UploadGone } from "#transfer/import/read-upload.ts";
import { type ImportResult, ImportSession } from "#transfer/import/session.ts";
import { TableProblem } from "#transfer/table/problem.ts";
import { storedSettings } from "../imports/start-import.ts";

/** Well under the time of a lease, also if the database is slow. */
const PIECE_MS = 1000;
/** Removing the parts of a large upload may take longer; the job that purges uploads does the rest. */
const REMOVAL_MS = 5000;

const AT_BEGINNING: ImportJobProgress = { pass: 1, rows: 0, bytes: 0 };

/** It fails again however often it is repeated. */
const isFinal = (error: unknown): error is Error =>
  error instanceof TableProblem ||
  error instanceof CsvError ||
  error instanceof ListGone ||
  error instanceof ImportUndone ||
  error instanceof UploadGone;

export function importUploads({ store, clock }: Services, pieceMs: number = PIECE_MS): JobWork<"import"> {
  const held = new Held();

  return async ({ account, args, progress }) => {
    const { upload: id } = args;
    const before = progress ?? AT_BEGINNING;
    const session = held.take(id) ?? new ImportSession({ store, clock }, { ...args, account });
    try {
      await store.uploads.touch({ account, id, at: clock() });
      const result = await session.run(pieceMs);
      const next = advanced(before, session.progress);
      const done = next.rows - before.rows;
      if (result === null) {
        held.keep(id, session);
        return { next, done, result: shown(args, next) };
      }
      // After a dry run, the same upload is imported.
      if (args.batch !== null) await remove();
      return { next, done, result: { ...shown(args, next), ...ended(result) }, ending: "finished" };
    } catch (error) {
      session.end();
      const rest = { next: before, done: 0, result: shown(args, before) };
      // This process had lost its lease meanwhile: the next piece begins where the other one ended.
      if (error instanceof ImportMoved) return rest;
      if (isFinal(error)) return { ...rest, ending: { failed: error.message } };
      throw error;
    }

    async function remove(): Promise<void> {
      const began = performance.now();
      await store.uploads.delete({ account, id });
      while (performance.now() - began < REMOVAL_MS && (await store.uploads.dropParts()));
    }
  };
}

/** Sessions between two pieces. If this process loses the lease, no piece follows. */
class Held {
  readonly #sessions = new Map<
    UploadId,
    { readonly session: ImportSession; readonly timer: NodeJS.Timeout }
  >();

  keep(id: UploadId, session: ImportSession): void {
    this.take(id)?.end();
    const timer = setTimeout(() => this.take(id)?.end(), LEASE_MS);
    timer.unref();
    this.#sessions.set(id, { session, timer });
  }

  take(id: UploadId): ImportSession | null {
    const found = this.#sessions.get(id);
    if (found === undefined) return null;
    clearTimeout(found.timer);
    this.#sessions.delete(id);
    return found.session;
  }
}

/** A session that begins again reads rows that are done. */
const advanced = (before: ImportJobProgress, now: ImportJobProgress): ImportJobProgress => ({
  ...now,
  rows: now.pass === 1 ? before.rows : Math.max(before.rows, now.rows),
});

const shown = (args: ImportJob, { pass, rows, bytes }: ImportJobProgress): JobResult => ({
  import: args.batch,
  isDryRun: args.batch === null,
  upload: args.upload,
  pass,
  rows,
  bytes,
  settings: storedSettings(args),
});

function ended(result: ImportResult): JobResult {
  const { counts, reasons, leftOut, rejected, mislabelled, isPartial, notes, samples } = result;
  const { id, isCut } = rejected;
  return {
    counts: { ...counts } as unknown as JobResult,
    rejected: { rows: counts.rejected, upload: id, isCut, reasons: Object.fromEntries(reasons) },
    leftOut: Object.fromEntries(
      [...Map.groupBy(leftOut, ({ heading }) => heading)].map(([heading, all]) => [
        heading,
        Object.fromEntries(all.map(({ reason, values, lines }) => [reason, { values, lines }])),
      ]),
    ),
    ...{ mislabelled, isPartial, notes, samples },
  };
}
