/** Refused calls by the group: those of one operation and outcome, replayed or dismissed as a job. */
import { type Static, Type } from "typebox";
import {
  dismissRefusalGroup,
  listRefusalGroups,
  previewRefusalGroup,
  replayRefusalGroup,
} from "#admin/refusals/groups.ts";
import { jobOrNull, WithJob } from "../../kit/jobs/jobs.ts";
import { Outcome, outcomeWord, readOutcome } from "../../kit/outcomes.ts";
import { route } from "../../kit/route.ts";
import {
  Collection,
  Id,
  Input,
  Nullable,
  pageOfAll,
  pageQuery,
  readId,
  Time,
  time,
} from "../../kit/schemas.ts";
import { Operation, RefusedCall, toRefusedCall } from "./refused-calls.ts";

const group = {
  operation: Operation,
  outcome: Outcome,
  keyId: Type.Optional(Id("The id of an API key. If it is not given: calls with all keys.")),
};
const Group = Input(group);
const toGroup = ({ operation, outcome, keyId }: Static<typeof Group>) => ({
  operation,
  outcome: readOutcome(outcome),
  key: keyId === undefined ? null : readId(keyId),
});
const tag = "Refused calls";

export const refusalGroupRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/refused-call-groups",
    tag,
    summary: "Count the refused calls by operation, outcome and key",
    description: "The largest groups first.",
    action: listRefusalGroups,
    query: Type.Object(pageQuery),
    args: ({ params }) => params,
    status: 200,
    reply: Collection(
      Type.Object({
        operation: Operation,
        outcome: Outcome,
        keyId: Nullable(Id("The id of the API key; null if it is not known.")),
        rowCount: Type.Integer({ description: "How many different refused calls there are." }),
        callCount: Type.Integer({ description: "How often these calls were made in all." }),
        firstAt: Time(),
        lastAt: Time(),
      }),
    ),
    answer: (groups, { query }) =>
      pageOfAll(groups, query, ({ operation, outcome, key, rows, calls, firstAt, lastAt }) => ({
        operation,
        outcome: outcomeWord(outcome),
        keyId: key === null ? null : String(key),
        rowCount: rows,
        callCount: calls,
        firstAt: time(firstAt),
        lastAt: time(lastAt),
      })),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/refused-calls:preview",
    tag,
    summary: "Preview the replay or dismissal of a group of refused calls",
    description: "Returns how many refused calls the group has, and the newest of them. Nothing is changed.",
    action: previewRefusalGroup,
    id: "refused.previewGroup",
    body: Group,
    args: ({ params, body }) => ({ ...params, ...toGroup(body) }),
    status: 200,
    reply: Type.Object({
      rowCount: Type.Integer({ description: "How many different refused calls there are." }),
      hasMore: Type.Boolean({
        description: "true: there are more than `rowCount`, because counting stopped there.",
      }),
      sample: Type.Array(RefusedCall),
    }),
    answer: ({ count, isMore, sample }) => ({
      rowCount: count,
      hasMore: isMore,
      sample: sample.map(toRefusedCall),
    }),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/refused-calls:replay",
    tag,
    summary: "Execute a group of refused calls again",
    description:
      "A job executes them without corrections, in the order in which they were first refused. Calls that succeed are removed from the refused calls. The result of the job has the number of calls per outcome.",
    action: replayRefusalGroup,
    body: Group,
    args: ({ params, body }) => ({ ...params, ...toGroup(body) }),
    status: 202,
    reply: WithJob({}),
    answer: ({ job }, { now }) => ({ job: jobOrNull(job, now) }),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/refused-calls:dismiss",
    tag,
    summary: "Dismiss a group of refused calls",
    description:
      "A job removes them from the refused calls. Calls that are refused while the job runs are kept.",
    action: dismissRefusalGroup,
    body: Group,
    args: ({ params, body }) => ({ ...params, ...toGroup(body) }),
    status: 202,
    reply: WithJob({}),
    answer: ({ job }, { now }) => ({ job: jobOrNull(job, now) }),
  }),
];
