/** Subscribers, as an operator sees, corrects and erases them. Other changes are in `caller-commands.ts`. */
import type { Subscribers } from "#domain/ports/subscribers.ts";
import { bySuppression, suppressionKinds } from "#domain/subscriber/subscriber.ts";
import { stateCounter } from "../../reads/who-counts.ts";
import { command, feature, read } from "../kit/feature.ts";
import { integer, statement } from "../kit/statement.ts";
import { correctSubscriber } from "./correction.ts";
import { eraseSubscriber } from "./erasure.ts";
import { findSubscriber } from "./subscriber-brief.ts";
import { historyPages, resultPages } from "./subscriber-history.ts";
import { findData, findRecord } from "./subscriber-record.ts";
import { subscriberSearch } from "./subscriber-search.ts";

const counters = (["active", ...suppressionKinds] as const).map(
  (state) => `${stateCounter(state)} AS ${state}`,
);
const stateCounts = statement(
  { active: integer, ...bySuppression(() => integer) },
  `SELECT ${counters.join(", ")} FROM account WHERE id = $1`,
);

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
  countStates: read((db, { account }) => db.get(stateCounts, account)),
  correct: command(correctSubscriber),
  erase: command(eraseSubscriber),
});
