/** What the routes of subscribers share: in requests, and a subscriber as a search shows one. */
import { Type } from "typebox";
import type { FoundSubscriber } from "#domain/ports/subscribers.ts";
import { bySuppression, membershipStatuses, states } from "#domain/subscriber/subscriber.ts";
import { NUMBER } from "#web/path.ts";
import { Id, Named, Nullable, OneOf, Time, textOrNull, time } from "../kit/schemas.ts";

/** Of a list in a body or a query. */
export const ListId = (description = "The id of the list.") =>
  Type.String({ pattern: NUMBER, description, examples: ["1"] });
export const Email = Type.String({ examples: ["ada@example.org"] });

/** Of a subscriber who was changed. */
export const SubscriberId = Nullable(
  Id("The id of the subscriber; null if the subscriber was erased in the meantime."),
);

export const State = OneOf(
  states,
  "`active`, or the first suppression that the subscriber has, in this order: `blocked`, `complained`, `unsubscribed`, `bounced`.",
);

export const FoundSchema = Named("FoundSubscriber", {
  id: Id(),
  email: Type.String(),
  firstName: Nullable(Type.String()),
  lastName: Nullable(Type.String()),
  state: State,
  createdAt: Time("Since when the address is a subscriber of the account."),
  listCount: Type.Integer({
    description: "On how many lists the subscriber is, including pending and suspended memberships.",
  }),
  membership: Nullable(
    Type.Object(
      { joinedAt: Time(), status: OneOf(membershipStatuses) },
      { description: "On the list of `listId`; null if the search names no list." },
    ),
  ),
});
export const toFound = ({ id, address, firstName, lastName, state, ...found }: FoundSubscriber) => ({
  id: String(id),
  email: address,
  firstName: textOrNull(firstName),
  lastName: textOrNull(lastName),
  state,
  createdAt: time(found.knownSince),
  listCount: found.lists,
  membership:
    found.membership === null
      ? null
      : { joinedAt: time(found.membership.joinedAt), status: found.membership.status },
});

export const SuppressionsSchema = Type.Object(
  bySuppression(() => Nullable(Time())),
  { description: "Since when each suppression is in force; null: it is not." },
);
