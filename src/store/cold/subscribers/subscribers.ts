/** Subscribers, as an operator sees, corrects and erases them. Other changes are in `caller-commands.ts`. */
import type { Subscribers } from "../../../domain/ports/subscribers.ts";
import { command, feature, read } from "../kit/feature.ts";
import { correctSubscriber } from "./correction.ts";
import { eraseSubscriber } from "./erasure.ts";
import { findSubscriber } from "./subscriber-brief.ts";
import { recordByAddress, recordById } from "./subscriber-record.ts";
import { subscriberSearch } from "./subscriber-search.ts";

export const subscribers = feature<
  Pick<Subscribers, "byAddress" | "byId" | "find" | "search" | "correct" | "erase">
>({
  byAddress: read(recordByAddress, { isSnapshot: true }),
  byId: read(recordById, { isSnapshot: true }),
  find: read(findSubscriber),
  search: subscriberSearch(),
  correct: command(correctSubscriber),
  erase: command(eraseSubscriber),
});
