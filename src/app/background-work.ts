/** What the service does besides answering requests: it does jobs and sends campaigns. */

import { jobHandlers } from "#admin/job-handlers/job-handlers.ts";
import type { MailTools } from "#admin/kit/mail-tools.ts";
import { threadedRenderer } from "#delivery/previews/threaded-renderer.ts";
import type { Clock } from "#domain/clocks.ts";
import type { Lease } from "#domain/job/job.ts";
import { periodicJobs } from "#domain/job/kinds.ts";
import type { Store } from "#domain/ports/store.ts";
import { leaseOwner } from "#jobs/owner.ts";
import { JobRunner } from "#jobs/runner.ts";
import { sleep } from "#jobs/sleep.ts";
import { createDelivery } from "./delivery.ts";
import type { Log } from "./log/log.ts";
import { mailTools } from "./mail-tools.ts";
import type { Parts } from "./parts.ts";

/** Runs jobs while the service runs, and logs what becomes of them. */
const describe = ({ id, kind, account }: Lease) => ({ job: id, kind, account });

/** To be started when the service listens. */
function createJobRunner(store: Store, clock: Clock, log: Log, mail: MailTools): JobRunner {
  const { jobs } = store;
  /** An outage is logged once, not at every attempt. */
  let isFailing = false;
  return new JobRunner({
    jobs,
    works: jobHandlers({ store, clock, mail }),
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

export interface BackgroundWork {
  readonly mail: MailTools;
  /** For metrics. */
  readonly delivery: { readonly connections: number };
  /** To be called when the service listens. */
  start(): void;
  /** Looks for work now: a request has left some. */
  wake(): void;
  /** Messages that are being sent end. */
  stopSending(): Promise<void>;
  /** To be called when no request needs a message any more. */
  stopJobs(): Promise<void>;
}

/** `baseUrl`: known only once the server listens. */
export function createBackgroundWork(
  { config, log, store, metrics, clocks, isDemo }: Parts,
  baseUrl: () => string,
): BackgroundWork {
  const mail = mailTools(config, threadedRenderer(), isDemo);
  const jobs = createJobRunner(store, clocks.wall, log, mail);
  const delivery = createDelivery({
    store,
    clock: clocks.wall,
    log,
    metrics: metrics.sending,
    relay: config.smtp,
    isDemo,
    connections: config.smtpConnections,
    baseUrl,
    wakeJobs: () => jobs.wake(),
  });
  return {
    mail,
    delivery,
    start: () => {
      jobs.start();
      delivery.start();
    },
    wake: () => {
      jobs.wake();
      delivery.wake();
    },
    stopSending: () => delivery.stop(),
    stopJobs: async () => {
      await jobs.stop();
      await mail.renderer.close();
    },
  };
}
