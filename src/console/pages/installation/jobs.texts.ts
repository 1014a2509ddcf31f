export const title = "Jobs";
export const description =
  "Background work of all accounts, and the periodic maintenance of the service. Ended jobs are kept for 30 days.";
export const job = "Job";
export const state = "State";
export const account = "Account";
export const progress = "Done";
export const started = "Started";
export const by = "By";
export const itself = "the service";
export const failed = (attempts: string, error: string): string => `Failed ${attempts} times: ${error}`;
export const emptyTitle = "No jobs";
export const empty =
  "Imports, large changes and maintenance appear here while they run, and for 30 days afterwards.";
export const shown = (count: string): string => (count === "1" ? "1 job" : `${count} jobs, newest first`);
