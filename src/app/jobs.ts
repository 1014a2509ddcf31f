/** Runs jobs while the service runs, and logs what becomes of them. */
import type { MailTools } from "#admin/kit/mail-tools.ts";
import { jobWorks } from "#admin/works/works.ts";
import type { Clock } from "#domain/clocks.ts";
import type { Lease } from "#domain/job/job.ts";
import { periodicJobs } from "#domain/job/kinds.ts";
import type { Store } from "#domain/ports/store.ts";
import { leaseOwner } from "#jobs/owner.ts";
import { JobRunner } from "#jobs/runner.ts";
import { sleep } from "#jobs/sleep.ts";
import type { Log } from "./log/log.ts";

const describe = ({ id, kind, account }: Lease) => ({ job: id, kind, account });

/** To be started when the service listens. */
export function createJobRunner(store: Store, clock: Clock, log: Log, mail: MailTools): JobRunner {
  const { jobs } = store;
  /** An outage is logged once, not at every attempt. */
  let isFailing = false;
  return new JobRunner({
    jobs,
    works: jobWorks({ store, clock, mail }),
    owner: leaseOwner(),
    clock,
    sleep,
    events: {
      onEnded: (lease, ending, ms) => {
        const fields = { ...describe(lease), ms: Math.round(ms) };
        if (ending === "failed") log.warn("job failed for good", fields);
        else if (periodicJobs[lease.kind] === undefined) log.info(`job ${ending}`, fields);
        else log.debug(`job ${ending}`, fields);
      },
      onFailed: (lease, error, retryMs) =>
        log.warn(
          "job failed",
          { ...describe(lease), attempts: lease.attempts + 1, retry_in_s: retryMs / 1000 },
          error,
        ),
      onLost: (lease) => log.info("job continued by another process", describe(lease)),
      onClaimed: () => {
        isFailing = false;
      },
      onClaimFailed: (error) => {
        if (!isFailing) log.warn("search for jobs failed", {}, error);
        isFailing = true;
      },
    },
  });
}
