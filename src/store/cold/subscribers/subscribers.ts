/** Subscribers, as an operator sees, corrects and erases them. Other changes are in `caller-commands.ts`. */
import type { Subscribers } from "../../../domain/ports/subscribers.ts";
import { command, feature, read } from "../kit/feature.ts";
import { correctSubscriber } from "./correction.ts";
import { eraseSubscriber } from "./erasure.ts";
import { subscriberRecord } from "./subscriber-record.ts";
import { subscriberSearch } from "./subscriber-search.ts";

export const subscribers = feature<Pick<Subscribers, "byAddress" | "search" | "correct" | "erase">>({
  byAddress: read(subscriberRecord, { isSnapshot: true }),
  search: subscriberSearch(),
  correct: command(correctSubscriber),
  erase: command(eraseSubscriber),
});
