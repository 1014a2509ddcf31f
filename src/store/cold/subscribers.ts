/** Subscribers, as an operator sees them. Callers change them in groups. */
import type { Subscribers } from "../../domain/ports/subscribers.ts";
import { feature, read } from "./feature.ts";
import { subscriberRecord } from "./subscriber-record.ts";

export const subscribers = feature<Pick<Subscribers, "byAddress">>({
  byAddress: read(subscriberRecord, { isSnapshot: true }),
});
