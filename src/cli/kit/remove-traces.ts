/** Removes what deleted rows leave in the files of the database, after an erasure. */
import { rewriteDatabase } from "#app/database.ts";
import type { Config } from "#app/settings/config.ts";
import { StoreRefused, StoreUnavailable } from "#domain/ports/errors.ts";
import { type Context, Failure, type Option, UsageError } from "./command.ts";

export const traceOptions = (leaveTraces: string): Readonly<Record<string, Option>> => ({
  rewrite: {
    doc: "On PostgreSQL, also remove the traces from the table files; all calls wait meanwhile. On SQLite the traces are removed without this option.",
  },
  "leave-traces": { doc: leaveTraces },
});

export const TRACE_DETAILS = `Deleted rows leave traces in the database files. On SQLite the command rewrites the file at once, which removes them.
Writes wait for some seconds per gigabyte, and the disk needs free space of twice the size of the file. On PostgreSQL
the command runs VACUUM, which blocks no calls. The deleted bytes then stay in the table files until their space is
reused. With --rewrite it runs VACUUM FULL instead, which removes them at once. This blocks all calls and needs space
for a second copy of the largest table.`;

/** To be called before anything is deleted. */
export function checkTraceOptions({ has }: Pick<Context, "has">): void {
  if (has("rewrite") && has("leave-traces"))
    throw new UsageError("--rewrite and --leave-traces contradict each other; give only one of them");
}

/** `done` says what was erased; `advice`, what to do if the database cannot be rewritten now. */
export async function removeTraces(
  { config, has }: Pick<Context, "has"> & { readonly config: Pick<Config, "database"> },
  done: string,
  advice: string,
): Promise<void> {
  if (has("leave-traces")) return;
  try {
    await rewriteDatabase(config.database, has("rewrite"));
  } catch (error) {
    const isRefused = error instanceof StoreRefused;
    if (!isRefused && !(error instanceof StoreUnavailable)) throw error;
    throw new Failure(
      `${done}, but the database could not be rewritten, so traces remain in its files: ${error.message}${isRefused ? "" : `; ${advice}`}`,
    );
  }
}
