/** An account at a glance. */
import { Type } from "typebox";
import { showOverview, TROUBLE_DAYS } from "#admin/overview.ts";
import { MAX_COUNTED, MAX_KEYS, MAX_SHOWN } from "#domain/statistics.ts";
import { JobSchema, toJob } from "../kit/jobs.ts";
import { route } from "../kit/route.ts";
import { Id, Nullable, textOrNull } from "../kit/schemas.ts";
import { Counts, members, toCampaign } from "./campaigns.ts";
import { ListSchema, toList } from "./lists.ts";
import { counts, quirkMembers, toQuirk } from "./statistics.ts";

export const overviewRoute = route("GET /accounts/{account}/overview", {
  summary: "Show an account at a glance",
  description: `How large it is, what is new, and what needs somebody. There are at most ${MAX_SHOWN} of each kind. Lists, keys and the events of a campaign are counted up to ${MAX_COUNTED}.`,
  action: showOverview,
  reply: Type.Object({
    activeSubscriberCount: Type.Integer(),
    listCount: Type.Integer(),
    keyCount: Type.Integer(),
    refusedCallCount: Type.Integer({ description: "How many different refused calls are waiting." }),
    largestLists: Type.Array(ListSchema),
    lastCampaigns: Type.Array(Type.Object({ ...members, counts: Counts }), {
      description: "The newest first.",
    }),
    troubledKeys: Type.Array(
      Type.Object({
        key: Type.Object({ id: Id(), name: Nullable(Type.String()), hint: Type.String() }),
        ...counts,
        quirks: Type.Array(Type.Object(quirkMembers)),
      }),
      {
        description: `API keys whose programs got faults or refusals or showed a quirk during the last ${TROUBLE_DAYS} days, among the newest ${MAX_KEYS} keys.`,
      },
    ),
    jobs: Type.Array(JobSchema, { description: "Those that have not ended, the newest first." }),
  }),
  answer: (shown, { now }) => ({
    activeSubscriberCount: shown.activeSubscribers,
    listCount: shown.lists,
    keyCount: shown.keys,
    refusedCallCount: shown.refusedCalls,
    largestLists: shown.largestLists.map(toList),
    lastCampaigns: shown.lastCampaigns.map((one) => ({ ...toCampaign(one), counts: one.events })),
    troubledKeys: shown.troubledKeys.map(({ key, label, hint, quirks, calls, refusals, faults }) => ({
      key: { id: String(key), name: textOrNull(label), hint },
      ...{ calls, refusals, faults },
      quirks: quirks.map(toQuirk),
    })),
    jobs: shown.jobs.map((job) => toJob(job, now)),
  }),
});
