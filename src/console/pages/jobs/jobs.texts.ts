export const title = "Jobs";
export const description =
  "Background work: imports, changes to many subscribers, deletions. Ended jobs are kept for 30 days.";
export const job = "Job";
export const state = "State";
export const progress = "Done";
export const started = "Started";
export const by = "By";
export const itself = "the service";
export const emptyTitle = "No jobs";
export const empty =
  "Imports, changes to many subscribers and large deletions appear here while they run, and for 30 days afterwards.";
export const count = (shown: string): string => (shown === "1" ? "1 job" : `${shown} jobs, newest first`);
