/** Reports what the endpoint does: to the log, the metrics, the statistics, and the watch on WSDL reads. */

import type { Described } from "#asmx/description.ts";
import type { EndpointObserver, Served } from "#asmx/endpoint.ts";
import type { WsdlFrequency } from "#asmx/wsdl-use/frequency.ts";
import type { CallResult, KeyCalls } from "#auth/key-calls.ts";
import { isNoOp } from "#domain/refused-call.ts";
import type { ClientAddresses } from "#http/client-address.ts";
import type { ServiceMetrics } from "#metrics/service-metrics.ts";
import type { Reply } from "#soap/dispatch.ts";
import type { Log } from "../log/log.ts";
import { logDescribed, logServed } from "../log/request-log.ts";
import type { Call } from "./call.ts";
import { countDescribed, countServed } from "./instrumentation.ts";
import type { WsdlWatch } from "./wsdl-watch.ts";

/** Counts the calls of each API key, and notes what its clients do that deserves attention. */
interface ClientStatistics {
  readonly calls: KeyCalls;
  readonly wsdlFrequency: WsdlFrequency;
  readonly clients: ClientAddresses;
}

/** Every fault has an HTTP status of its own. */
function resultOf({ status, outcome }: Reply): CallResult {
  if (status !== 200) return "fault";
  return outcome === "Done" || outcome === "ok" || isNoOp(outcome) ? "done" : "refused";
}

/** A call without a valid key belongs to no account, and is not counted here. */
function countCall({ calls, wsdlFrequency, clients }: ClientStatistics, { call, reply }: Served<Call>): void {
  const { key, request } = call;
  if (key === null) return;
  const userAgent = request.headers["user-agent"];
  calls.count(key, userAgent, resultOf(reply));
  if (reply.mislabelled) calls.noteQuirk(key, "charset-mismatch", userAgent);
  if (request.httpVersionMinor === 0 && !clients.isProxied(request.socket))
    calls.noteQuirk(key, "http-1.0", userAgent);
  if (wsdlFrequency.size > 0 && wsdlFrequency.called({ client: call.client, userAgent }))
    calls.noteQuirk(key, "wsdl-every-call", userAgent);
}

interface Observers {
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
