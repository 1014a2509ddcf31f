/** Reports what the endpoint does: to the log, the metrics, the statistics, and the watch on WSDL reads. */
import type { Described } from "#asmx/description.ts";
import type { EndpointObserver, Served } from "#asmx/endpoint.ts";
import type { ServiceMetrics } from "#metrics/service-metrics.ts";
import type { Log } from "../log/log.ts";
import { logDescribed, logServed } from "../log/request-log.ts";
import type { Call } from "./call.ts";
import { type ClientStatistics, countCall } from "./client-statistics.ts";
import { countDescribed, countServed } from "./instrumentation.ts";
import type { WsdlWatch } from "./wsdl-watch.ts";

export interface Observers {
  readonly log: Log;
  readonly metrics: ServiceMetrics;
  /** Counting costs a fiftieth of a call, so it is skipped where metrics are disabled. */
  readonly isMonitored: boolean;
  readonly wsdlWatch: WsdlWatch;
  readonly statistics: ClientStatistics;
}

export const endpointObserver = ({
  log,
  metrics,
  isMonitored,
  wsdlWatch,
  statistics,
}: Observers): EndpointObserver<Call> => ({
  posted: ({ request }) => wsdlWatch.onPost(request),
  served: (served: Served<Call>) => {
    if (isMonitored) countServed(metrics, served);
    countCall(statistics, served);
    logServed(log, served);
  },
  wsdlRead: ({ request, client }) => {
    wsdlWatch.onWsdlRead(request);
    statistics.wsdlFrequency.read({ client, userAgent: request.headers["user-agent"] });
  },
  described: (described: Described) => {
    countDescribed(metrics, described);
    logDescribed(log, described);
  },
});
