export const title = "Jobs";
export const description =
  "Long work of every account, and the maintenance that the service repeats by itself. Ended jobs are kept for 30 days.";
export const job = "Job";
export const state = "State";
export const account = "Account";
export const progress = "Done";
export const started = "Started";
export const by = "By";
export const itself = "the service itself";
export const failed = (attempts: string, error: string): string => `Failed ${attempts} times: ${error}`;
export const emptyTitle = "No jobs";
export const empty =
  "Imports, large changes and maintenance appear here while they run, and for 30 days afterwards.";
export const shown = (count: string): string => `${count} shown, the newest first`;

/** Of jobs that no account has started. */
export const maintenance: Readonly<Record<string, string>> = {
  "purge-refusals": "Delete old refused calls",
  "purge-calls": "Delete old counts of calls",
  "purge-jobs": "Delete old jobs",
  "purge-uploads": "Delete unused uploads",
  "purge-idempotency-keys": "Delete old idempotency keys",
  "purge-sessions": "Delete ended sessions",
  "rewrite-database": "Remove traces of erased data from the files",
};
