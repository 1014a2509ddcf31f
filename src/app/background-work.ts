/** What the service does besides answering requests: it does jobs and sends campaigns. */
import type { MailTools } from "#admin/kit/mail-tools.ts";
import { threadedRenderer } from "#delivery/renderer/threaded.ts";
import { createDelivery } from "./delivery.ts";
import { createJobRunner } from "./jobs.ts";
import { mailTools } from "./mail-tools.ts";
import type { Parts } from "./parts.ts";

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
  { config, log, store, metrics, clocks }: Parts,
  baseUrl: () => string,
): BackgroundWork {
  const mail = mailTools(config, threadedRenderer());
  const jobs = createJobRunner(store, clocks.wall, log, mail);
  const delivery = createDelivery({
    store,
    clock: clocks.wall,
    log,
    metrics: metrics.sending,
    relay: config.smtp,
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
