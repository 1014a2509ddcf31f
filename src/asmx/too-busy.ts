/**
 * The reply to a request that is rejected because of overload: as SOAP, as a document or as JSON.
 */
import { Fault } from "../contract/faults.ts";

/** Made once: rejecting a call must cost less than serving it. */
export const tooBusy = new Fault(
  "Throttled",
  "The service has as many calls in hand as it can answer in time. Nothing was done. Try the same call again in a few seconds.",
  { retryAfterSeconds: 5 },
);
