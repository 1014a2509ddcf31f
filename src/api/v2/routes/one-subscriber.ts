/**
 * What is done with one subscriber. Where an address may be unknown, or its subscriber erased, there is a
 * second route that takes the address in the body.
 */

import { Type } from "typebox";
import { suppressionTimes } from "#admin/subscribers/person-document.ts";
import { eraseSubscriber, exportSubscriber } from "#admin/subscribers/record.ts";
import { addSubscriber, reactivate, removeSubscriber, unsubscribe } from "#admin/subscribers/subscribers.ts";
import { clearable, states } from "#domain/subscriber/subscriber.ts";
import { RewriteAt } from "../kit/jobs.ts";
import { idsOf, route } from "../kit/route.ts";
import { Input, idOrNull, Nullable, noReply, OneOf, Time, timeOrNull } from "../kit/schemas.ts";
import { PersonSchema, toPerson } from "./subscriber-export.ts";
import { Email, SubscriberId, SuppressionsSchema } from "./subscriber-schemas.ts";
import { AddedSchema, toAdded } from "./subscribers.ts";

const ONE = "/accounts/{account}/subscribers/{subscriber}";
const ON_LIST = "/accounts/{account}/lists/{list}/subscribers/{subscriber}";
const ByEmail = Input({ email: Email });

const unsubscribed = {
  action: unsubscribe,
  reply: Type.Object({
    id: SubscriberId,
    email: Type.String(),
    unsubscribedAt: Nullable(Time("Since when the address is unsubscribed.")),
  }),
  answer: (done: Awaited<ReturnType<typeof unsubscribe.run>>) => ({
    id: idOrNull(done.id),
    email: done.address,
    unsubscribedAt: timeOrNull(done.since),
  }),
} as const;

const reactivation = {
  suppression: OneOf(clearable, "The suppression to clear."),
  reason: Type.String({
    description: "Why the suppression is cleared. The reason is stored in the history of the subscriber.",
    examples: ["asked by mail on 14 November"],
  }),
};
const reactivated = {
  action: reactivate,
  reply: Type.Object({
    id: SubscriberId,
    email: Type.String(),
    state: OneOf(states, "The state afterwards."),
  }),
  answer: (done: Awaited<ReturnType<typeof reactivate.run>>) => ({
    id: idOrNull(done.id),
    email: done.address,
    state: done.state,
  }),
} as const;

const exported = {
  action: exportSubscriber,
  reply: PersonSchema,
  answer: toPerson,
} as const;

const count = Type.Integer();
const ERASURE =
  "Suppressions stay in force: a keyed hash of the address is kept with the dates. Deleted rows leave traces in the files of the database. The service removes them in the next night, see `rewriteAt`; `mailroll subscriber erase` on the server does that at once.";
const erased = {
  action: eraseSubscriber,
  reply: Type.Object({
    email: Type.String(),
    formerAddresses: Type.Array(Type.String(), {
      description:
        "Earlier addresses of the subscriber. Other data, such as refused calls, may contain them. Erase them, too, unless they belong to somebody else now.",
    }),
    wasKnown: Type.Boolean(),
    counts: Type.Object(
      { values: count, lists: count, history: count, campaignResults: count, refusedCalls: count },
      { description: "How much was deleted." },
    ),
    remainingSuppressions: Nullable(SuppressionsSchema),
    rewriteAt: RewriteAt,
  }),
  answer: (done: Awaited<ReturnType<typeof eraseSubscriber.run>>) => ({
    email: done.address,
    formerAddresses: [...done.formerAddresses],
    wasKnown: done.wasKnown,
    counts: {
      values: done.values,
      lists: done.lists,
      history: done.history,
      campaignResults: done.losses,
      refusedCalls: done.refusedCalls,
    },
    remainingSuppressions: done.kept === null ? null : suppressionTimes(done.kept),
    rewriteAt: timeOrNull(done.rewriteAt),
  }),
} as const;

export const oneSubscriberRoutes = [
  route(`PUT ${ON_LIST}`, {
    id: "subscriber.join",
    summary: "Put a subscriber on a list",
    description:
      "Changes nothing if the subscriber is already on the list. A subscriber with a suppression is refused.",
    action: addSubscriber,
    args: ({ params: { list, ...one } }) => ({ ...idsOf(one), list, values: [] }),
    reply: AddedSchema,
    answer: toAdded,
  }),
  route(`DELETE ${ON_LIST}`, {
    summary: "Remove a subscriber from a list",
    description: "The subscriber stays in the account and can be added again.",
    action: removeSubscriber,
    args: ({ params: { list, ...one } }) => ({ ...idsOf(one), list }),
    ...noReply,
  }),
  route(`POST ${ONE}/unsubscribe`, {
    ...unsubscribed,
    summary: "Unsubscribe a subscriber from all lists",
  }),
  route("POST /accounts/{account}/subscribers:unsubscribe", {
    ...unsubscribed,
    id: "subscriber.unsubscribeAddress",
    summary: "Unsubscribe an address, even if the account has no such subscriber",
    body: ByEmail,
  }),
  route(`POST ${ONE}/reactivate`, {
    ...reactivated,
    summary: "Clear a suppression",
    description: "When the last suppression is cleared, the memberships are no longer suspended.",
    body: Input(reactivation),
  }),
  route("POST /accounts/{account}/subscribers:reactivate", {
    ...reactivated,
    id: "subscriber.reactivateAddress",
    summary: "Clear a suppression of an address, even if its subscriber was erased",
    body: Input({ email: Email, ...reactivation }),
  }),
  route(`GET ${ONE}/export`, {
    ...exported,
    summary: "Export everything that is stored about a subscriber",
  }),
  route("POST /accounts/{account}/subscribers:export", {
    ...exported,
    id: "subscriber.exportAddress",
    summary: "Export everything that is stored about an address",
    description:
      "Changes nothing. Also works for an address that is no subscriber, but is in refused calls or on the block list.",
    body: ByEmail,
  }),
  route(`POST ${ONE}/erase`, {
    ...erased,
    summary: "Erase a subscriber",
    description: ERASURE,
    thing: "subscriber",
    versioned: () => null,
  }),
  route("POST /accounts/{account}/subscribers:erase", {
    ...erased,
    id: "subscriber.eraseAddress",
    summary: "Erase everything about an address",
    description: ERASURE,
    body: ByEmail,
  }),
];
