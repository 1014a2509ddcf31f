/** Subscribers, as an operator sees, corrects and erases them. Other changes are in `caller-commands.ts`. */
import type { Subscribers } from "../../../domain/ports/subscribers.ts";
import { command, feature, read } from "../kit/feature.ts";
import { correctSubscriber } from "./correction.ts";
import { eraseSubscriber } from "./erasure.ts";
import { countStates } from "./state-counts.ts";
import { findSubscriber } from "./subscriber-brief.ts";
import { historyPages, resultPages } from "./subscriber-history.ts";
import { findData, findRecord } from "./subscriber-record.ts";
import { subscriberSearch } from "./subscriber-search.ts";

export const subscribers = feature<
  Pick<
    Subscribers,
    | "byAddress"
    | "byId"
    | "data"
    | "history"
    | "campaignResults"
    | "find"
    | "search"
    | "countStates"
    | "correct"
    | "erase"
  >
>({
  byAddress: read(findRecord, { isSnapshot: true }),
  byId: read(findRecord, { isSnapshot: true }),
  data: read(findData, { isSnapshot: true }),
  history: historyPages,
  campaignResults: resultPages,
  find: read(findSubscriber),
  search: subscriberSearch(),
  countStates: read((db, { account, most }) => db.all(countStates, account, most)),
  correct: command(correctSubscriber),
  erase: command(eraseSubscriber),
});
