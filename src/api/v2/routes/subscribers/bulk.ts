/** One change to all subscribers that a search finds: a preview, and the change as a job. */
import { type Static, Type } from "typebox";
import { changeSubscribers, previewBulk } from "../../../../admin/subscribers/bulk.ts";
import { states } from "../../../../domain/subscriber.ts";
import { jobOrNull, WithJob } from "../../kit/jobs.ts";
import { NamedInput } from "../../kit/named.ts";
import { route } from "../../kit/route.ts";
import { Id, Input, OneOf, readId } from "../../kit/schemas.ts";
import { FoundSchema, toFound } from "./schemas.ts";

const Filter = NamedInput("SubscriberFilter", {
  search: Type.Optional(
    Type.String({
      description: "An address, a domain such as `@example.org`, or the beginning of an address.",
    }),
  ),
  name: Type.Optional(Type.String({ description: "The beginning of a first, last or full name." })),
  state: Type.Optional(OneOf(states)),
  list: Type.Optional(Id("Only subscribers on this list.")),
});
const toFilter = ({ search, name, state, list }: Static<typeof Filter>) => ({
  search: search ?? null,
  name: name ?? null,
  state: state ?? null,
  list: list === undefined ? null : readId(list),
});
const Change = Type.Union([
  Input({ kind: OneOf(["add", "remove"], "Add to a list, or remove from a list."), list: Id() }),
  Input({ kind: OneOf(["unsubscribe"], "Unsubscribe from all lists of the account.") }),
]);
const toChange = (change: Static<typeof Change>) =>
  "list" in change ? { kind: change.kind, list: readId(change.list) } : { kind: change.kind };
const tag = "Subscribers";

export const bulkRoutes = [
  route({
    method: "POST",
    path: "/accounts/{account}/subscribers:preview",
    tag,
    summary: "Preview a change of all subscribers that a filter finds",
    description: "Returns how many subscribers the filter finds, and some of them. Nothing is changed.",
    action: previewBulk,
    body: Input({ filter: Filter }),
    args: ({ params, body: { filter } }) => ({ ...params, ...toFilter(filter) }),
    status: 200,
    reply: Type.Object({
      count: Type.Integer(),
      isMore: Type.Boolean({ description: "true: counting stopped at `count`, so there may be more." }),
      sample: Type.Array(FoundSchema),
    }),
    answer: ({ count, isMore, sample }) => ({ count, isMore, sample: sample.map(toFound) }),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/subscribers:change",
    tag,
    summary: "Change all subscribers that a filter finds",
    description:
      "A job changes them. The same rules apply as for a single change: for example, somebody who has unsubscribed is not added. Subscribers who are created after this request are not changed.",
    action: changeSubscribers,
    body: Input({
      filter: Filter,
      change: Change,
      all: Type.Optional(
        Type.Boolean({
          description: "Must be true if the filter has no condition and all subscribers are to be changed.",
        }),
      ),
    }),
    args: ({ params, body: { filter, change, all = false } }) => ({
      ...params,
      ...toFilter(filter),
      change: toChange(change),
      isAll: all,
    }),
    inputs: { search: "filter" },
    status: 202,
    reply: WithJob({}),
    answer: ({ job }, { now }) => ({ job: jobOrNull(job, now) }),
  }),
];
