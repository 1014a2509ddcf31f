/** Reports what the endpoint does: to the log, the metrics, and the watch on programs that never call. */
import type { Described } from "../asmx/description.ts";
import type { EndpointObserver, Served } from "../asmx/endpoint.ts";
import type { ServiceMetrics } from "../metrics/service-metrics.ts";
import type { Call } from "./call.ts";
import { countDescribed, countServed } from "./instrumentation.ts";
import type { Log } from "./log/log.ts";
import { logDescribed, logServed } from "./log/request-log.ts";
import type { WsdlWatch } from "./wsdl-watch.ts";

export interface Observers {
  readonly log: Log;
  readonly metrics: ServiceMetrics;
  /** Counting costs a fiftieth of a call, so it is skipped where metrics are disabled. */
  readonly isMonitored: boolean;
  readonly wsdlWatch: WsdlWatch;
}

export const endpointObserver = ({
  log,
  metrics,
  isMonitored,
  wsdlWatch,
}: Observers): EndpointObserver<Call> => ({
  posted: ({ request }) => wsdlWatch.onPost(request),
  served: (served: Served<Call>) => {
    if (isMonitored) countServed(metrics, served);
    logServed(log, served);
  },
  wsdlRead: ({ request }) => wsdlWatch.onWsdlRead(request),
  described: (described: Described) => {
    countDescribed(metrics, described);
    logDescribed(log, described);
  },
});
