/** Counts the calls of each API key, and notes what its clients do that deserves attention. */
import type { Served } from "#asmx/endpoint.ts";
import type { WsdlFrequency } from "#asmx/wsdl-use/frequency.ts";
import type { CallResult, KeyCalls } from "#auth/key-calls.ts";
import { isNoOp } from "#domain/refusal.ts";
import type { ClientAddresses } from "#http/client-address.ts";
import type { Reply } from "#soap/dispatch.ts";
import type { Call } from "./call.ts";

export interface ClientStatistics {
  readonly calls: KeyCalls;
  readonly wsdlFrequency: WsdlFrequency;
  readonly clients: ClientAddresses;
}

/** Every fault has an HTTP status of its own. */
function resultOf({ status, outcome }: Reply): CallResult {
  if (status !== 200) return "fault";
  return outcome === "Done" || outcome === "ok" || isNoOp(outcome) ? "done" : "refused";
}

/** A call without a valid key belongs to nobody, and is not counted here. */
export function countCall(
  { calls, wsdlFrequency, clients }: ClientStatistics,
  { call, reply }: Served<Call>,
): void {
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
