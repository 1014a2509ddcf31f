/**
 * All subscribers that a filter finds: their export, and one change to them, with a preview, a dry run, and
 * the change as a job.
 */

import { type Static, Type } from "typebox";
import { exportSubscribers } from "#admin/export.ts";
import { changeSubscribers, dryRunChange, previewBulk } from "#admin/subscribers/bulk.ts";
import { suppressionTimes } from "#admin/subscribers/person-document.ts";
import { showAddress } from "#admin/subscribers/search.ts";
import { bulkKinds } from "#domain/subscriber/bulk-change.ts";
import { states } from "#domain/subscriber/subscriber.ts";
import { ActorSchema } from "../kit/actor.ts";
import { CSV, csvForm, toCsvForm } from "../kit/csv-form.ts";
import { startsJob } from "../kit/jobs.ts";
import { route, streamRoute } from "../kit/route.ts";
import { Id, Input, idOrNull, NamedInput, Nullable, OneOf, Time, time } from "../kit/schemas.ts";
import { FilterInput, readFilter } from "./filter-schemas.ts";
import { Email, FoundSchema, ListId, SuppressionsSchema, toFound } from "./subscriber-schemas.ts";

/** An address that may be no subscriber: whether it can be added, and why not. */
export const addressRoute = route("POST /accounts/{account}/subscribers:address", {
  summary: "Show whether an address is a subscriber, blocked or suppressed",
  description:
    "This is a POST, because URLs end up in logs and must not contain an address. It changes nothing. The suppressions of a subscriber are at `subscribers/{subscriber}`.",
  action: showAddress,
  body: Input({ email: Email }),
  reply: Type.Object({
    email: Type.String(),
    subscriberId: Nullable(Id("null: the address is no subscriber.")),
    blocks: Type.Array(
      Type.Object({ pattern: Type.String(), createdAt: Time(), actor: Nullable(ActorSchema) }),
      { description: "The blocks that cover the address, each with who added it, if that is known." },
    ),
    remainingSuppressions: Nullable({
      ...SuppressionsSchema,
      description: "What stays in force since a subscriber with this address was erased; null: nothing.",
    }),
  }),
  answer: ({ address, subscriber, blocks, kept }) => ({
    email: address,
    subscriberId: idOrNull(subscriber),
    blocks: blocks.map(({ pattern, createdAt, by }) => ({ pattern, createdAt: time(createdAt), actor: by })),
    remainingSuppressions: kept === null ? null : suppressionTimes(kept),
  }),
});

const Filter = NamedInput("SubscriberFilter", {
  search: Type.Optional(
    Type.String({
      description: "An address, a domain such as `@example.org`, or the beginning of an address.",
    }),
  ),
  name: Type.Optional(Type.String({ description: "The beginning of a first, last or full name." })),
  state: Type.Optional(OneOf(states)),
  listId: Type.Optional(ListId("Only subscribers on this list.")),
  conditions: Type.Optional(FilterInput),
});
const toFilter = ({ search, name, state, listId, conditions = [] }: Static<typeof Filter>) => ({
  search: search ?? null,
  name: name ?? null,
  state: state ?? null,
  list: listId === undefined ? null : Number(listId),
  filter: readFilter(conditions),
});
const Change = Input({
  action: OneOf(
    bulkKinds,
    "`add` to a list, `remove` from a list, or `unsubscribe` from all lists of the account.",
  ),
  listId: Type.Optional(ListId("For `add` and `remove`: the id of the list.")),
});
const toChange = ({ action, listId }: Static<typeof Change>) => ({
  kind: action,
  list: listId === undefined ? undefined : Number(listId),
});
/** The names in requests of what the actions call otherwise. */
const inputs = {
  search: "filter/search",
  name: "filter/name",
  list: "filter/listId",
  filter: "filter/conditions",
  changeList: "change/listId",
};

export const bulkRoutes = [
  route("POST /accounts/{account}/subscribers:bulk-preview", {
    summary: "Preview a change of all subscribers that a filter finds",
    description:
      "Returns how many subscribers the filter finds, and some of them. Nothing is changed. `subscribers:bulk-dry-run` counts them all.",
    action: previewBulk,
    body: Input({ filter: Filter }),
    args: ({ params, body: { filter } }) => ({ ...params, ...toFilter(filter) }),
    inputs,
    reply: Type.Object({
      subscriberCount: Type.Integer(),
      hasMore: Type.Boolean({ description: "true: counting stopped there, so there may be more." }),
      sample: Type.Array(FoundSchema),
    }),
    answer: ({ count, isMore, sample }) => ({
      subscriberCount: count,
      hasMore: isMore,
      sample: sample.map(toFound),
    }),
  }),
  streamRoute("POST /accounts/{account}/subscribers:bulk-export", {
    summary: "Export all subscribers that a filter finds as CSV",
    description:
      "Has the columns of the export of a list. Without `listId` in the filter, `joined` is when they became subscribers. Subscribers are read page by page, so changes during the export may be included or not. If the connection breaks, the file is incomplete.",
    action: exportSubscribers,
    body: Input({ filter: Filter, ...csvForm }),
    args: ({ params, body: { filter, ...form } }) => ({ ...params, ...toFilter(filter), ...toCsvForm(form) }),
    inputs,
    contentType: CSV,
    stream: ({ text }) => ({ fileName: "subscribers.csv", chunks: text(() => {}) }),
  }),
  route("POST /accounts/{account}/subscribers:bulk-dry-run", {
    id: "subscriber.bulkDryRun",
    summary: "Count what a change of all subscribers that a filter finds would do",
    description:
      "A job counts how many subscribers would be changed, how many need no change, and how many would be refused, each with the rules of `subscribers:bulk-change`. Nothing is changed.",
    action: dryRunChange,
    body: Input({ filter: Filter, change: Change }),
    args: ({ params, body: { filter, change } }) => ({
      ...params,
      ...toFilter(filter),
      change: toChange(change),
    }),
    inputs,
    ...startsJob,
  }),
  route("POST /accounts/{account}/subscribers:bulk-change", {
    id: "subscriber.bulkChange",
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
    inputs,
    ...startsJob,
  }),
];
