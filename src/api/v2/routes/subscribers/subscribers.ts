/** Subscribers of an account: found, shown, added and corrected. */
import { type Static, Type } from "typebox";
import { correctionOf, setSubscriber } from "../../../../admin/subscribers/correct.ts";
import { showSubscriber } from "../../../../admin/subscribers/record.ts";
import { findSubscribers } from "../../../../admin/subscribers/search.ts";
import { addSubscriber } from "../../../../admin/subscribers/subscribers.ts";
import { states } from "../../../../domain/subscriber.ts";
import { route } from "../../kit/route.ts";
import { Collection, collection, Id, Input, Nullable, OneOf, pageOf, pageQuery } from "../../kit/schemas.ts";
import {
  Email,
  FoundSchema,
  ListRef,
  Replaced,
  SubscriberSchema,
  toFound,
  toReplaced,
  toSubscriber,
} from "./schemas.ts";

export const tag = "Subscribers";

const filters = {
  state: Type.Optional(OneOf(states, "Only subscribers in this state.")),
  list: Type.Optional(ListRef("Only members of this list, pending and suspended ones included.")),
};
const anyOf = ({ state, list }: { readonly state?: (typeof states)[number]; readonly list?: string }) => ({
  state: state ?? null,
  list: list === undefined ? null : Number(list),
});
const ORDER =
  "In the order of addresses; of a list, in the order in which they became subscribers. A page can have fewer items than the limit although `next` is not null.";

const FieldRef = Type.String({ description: "The id or the name of the field.", examples: ["Town"] });
const basics = {
  firstName: Type.String({ examples: ["Ada"] }),
  lastName: Type.String(),
  gender: Type.String({ description: "M, F or X." }),
  birthday: Type.String({ description: "As yyyy-mm-dd." }),
  country: Type.String({ description: "As ISO 3166-1: two letters, three letters or a number." }),
};
export const dataMembers = {
  firstName: Type.Optional(basics.firstName),
  lastName: Type.Optional(basics.lastName),
  gender: Type.Optional(basics.gender),
  birthday: Type.Optional(basics.birthday),
  country: Type.Optional(basics.country),
  values: Type.Optional(Type.Array(Input({ field: FieldRef, value: Type.String() }))),
};
const AddBody = Input({ list: ListRef(), email: Email, ...dataMembers });
export const toAdd = ({ list, values = [], ...rest }: Static<typeof AddBody>) => ({
  ...rest,
  list: Number(list),
  values,
});
export const AddedSchema = Type.Object({
  id: Nullable(Id("Of the subscriber; null if it was erased meanwhile.")),
  email: Type.String(),
  isPending: Type.Boolean({
    description: "Whether the membership exists, but the person has not confirmed it.",
  }),
});
export const toAdded = ({
  id,
  address,
  isPending,
}: {
  readonly id: number | null;
  readonly address: string;
  readonly isPending: boolean;
}) => ({ id: id === null ? null : String(id), email: address, isPending });

/** A value that is null is cleared. */
export const correctionMembers = {
  firstName: Type.Optional({ ...Nullable(basics.firstName), examples: ["Ada"] }),
  lastName: Type.Optional(Nullable(basics.lastName)),
  gender: Type.Optional(Nullable(basics.gender)),
  birthday: Type.Optional(Nullable(basics.birthday)),
  country: Type.Optional(Nullable(basics.country)),
  values: Type.Optional(Type.Array(Input({ field: FieldRef, value: Nullable(Type.String()) }))),
};
export const subscriberRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/subscribers",
    tag,
    summary: "List subscribers",
    description: `${ORDER} To search by address or name, use \`subscribers:search\`.`,
    action: findSubscribers,
    query: Type.Object({ ...filters, ...pageQuery }),
    args: ({ params, query }) => ({ ...params, search: null, name: null, ...anyOf(query), ...pageOf(query) }),
    status: 200,
    reply: Collection(FoundSchema),
    answer: (page) => collection(page, toFound),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/subscribers:search",
    id: "subscriber.search",
    tag,
    summary: "Search subscribers by address or name",
    description: `Changes nothing; a search for a person is in a body because URLs end up in logs. ${ORDER}`,
    action: findSubscribers,
    body: Input({
      search: Type.Optional(
        Type.String({
          description: "An address, a domain such as `@example.org`, or the beginning of addresses.",
          examples: ["@example.org"],
        }),
      ),
      name: Type.Optional(Type.String({ description: "The beginning of a first, last or full name." })),
      ...filters,
      ...pageQuery,
    }),
    args: ({ params, body }) => ({
      ...params,
      search: body.search ?? null,
      name: body.name ?? null,
      ...anyOf(body),
      ...pageOf(body),
    }),
    status: 200,
    reply: Collection(FoundSchema),
    answer: (page) => collection(page, toFound),
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/subscribers",
    tag,
    summary: "Add an address to a list, with data",
    description:
      "Also for an address that is stored: then it joins the list, and the given values replace the stored ones. A suppressed address is refused.",
    action: addSubscriber,
    body: AddBody,
    args: ({ params, body }) => ({ ...params, ...toAdd(body) }),
    status: 200,
    reply: AddedSchema,
    answer: toAdded,
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/subscribers/{subscriber}",
    tag,
    summary: "Show a subscriber",
    description: "With custom values, lists, suppressions, the whole history, and results of campaigns.",
    action: showSubscriber,
    args: ({ params: { account, subscriber } }) => ({ account, id: subscriber }),
    status: 200,
    reply: SubscriberSchema,
    answer: ({ record, names }) => toSubscriber(record, names),
    thing: "subscriber",
    versioned: ({ record }) => record,
  }),
  route({
    method: "PATCH",
    path: "/accounts/{account}/subscribers/{subscriber}",
    tag,
    summary: "Correct a subscriber",
    description:
      "What is absent stays; null clears a value. A change of address is refused while the subscriber or the new address is suppressed.",
    action: setSubscriber,
    body: Input({
      email: Type.Optional(Type.String({ description: "The new address." })),
      ...correctionMembers,
    }),
    args: ({ params: { account, subscriber }, body: { email = null, ...given } }) => ({
      account,
      id: subscriber,
      newEmail: email,
      ...correctionOf(given),
    }),
    inputs: { newEmail: "email", clearFields: "values" },
    status: 200,
    reply: Type.Object({
      id: Id(),
      email: Type.String(),
      replaced: Type.Array(Replaced, { description: "What has changed; an empty text is no value." }),
    }),
    answer: ({ address, replaced }, { params }) => ({
      id: String(params.subscriber),
      email: address,
      replaced: replaced.map(toReplaced),
    }),
    thing: "subscriber",
    versioned: () => null,
  }),
];
