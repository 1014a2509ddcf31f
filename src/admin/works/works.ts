/** What a process does for the kinds of jobs that it does itself. */
import type { JobWorks } from "../../jobs/work.ts";
import type { Services } from "../../operations/caller.ts";
import { importUploads } from "./import-uploads.ts";
import { replayRefusals } from "./replay-refusals.ts";
import { rewriteDatabase } from "./rewrite-database.ts";

export const jobWorks = (services: Services): JobWorks => ({
  "replay-refusals": replayRefusals(services),
  import: importUploads(services),
  "rewrite-database": rewriteDatabase(services),
});
