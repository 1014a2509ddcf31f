/** Does the jobs that requests have left, as the runner of a server would. */

import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import type { MailTools } from "#admin/kit/mail-tools.ts";
import type { Clock } from "#domain/clocks.ts";
import type { Store } from "#domain/ports/store.ts";
import { finishJob, requestLease } from "#jobs/foreground.ts";

export async function finishJobs(store: Store, clock: Clock = Date.now, mail?: MailTools): Promise<void> {
  const works = jobHandlers({ store, clock, ...(mail === undefined ? {} : { mail }) });
  const now = clock();
  for (const lease of await store.jobs.claim({ ...requestLease(now), now, limit: 100 }))
    await finishJob(store.jobs, { works })(lease);
}
