/** What the service is assembled from. */
import type { Limits } from "#admission/limits.ts";
import type { Clocks } from "#domain/clocks.ts";
import type { Store } from "#domain/ports/store.ts";
import type { ServiceMetrics } from "#metrics/service-metrics.ts";
import type { Log } from "./log/log.ts";
import type { FailedWrites } from "./log/request-log.ts";
import type { Config } from "./settings/config.ts";
import type { ServedCertificate } from "./tls.ts";

export interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly store: Store;
  readonly failedWrites: FailedWrites;
  readonly metrics: ServiceMetrics;
  readonly clocks: Clocks;
  readonly limits: Limits;
  readonly certificate: ServedCertificate | null;
  /** Messages are written to files: `config` has no other relay, and those of senders are not used. */
  readonly isDemo: boolean;
}
