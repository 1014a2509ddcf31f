/** Subscribers of an account: found, shown, added and corrected. */
import { type Static, Type } from "typebox";
import { correctionOf, setSubscriber } from "#admin/subscribers/correct.ts";
import { replacedDocument } from "#admin/subscribers/person-document.ts";
import { type FoundSubscribers, findSubscribers } from "#admin/subscribers/search.ts";
import { addSubscriber } from "#admin/subscribers/subscribers.ts";
import { subscriberOrders } from "#domain/subscriber/search.ts";
import { states } from "#domain/subscriber/subscriber.ts";
import { WIDE } from "#web/path.ts";
import { idsOf, route } from "../kit/route.ts";
import {
  allWritten,
  Collection,
  collection,
  Id,
  Input,
  idOrNull,
  Named,
  NamedInput,
  Nullable,
  OneOf,
  OneOfCamel,
  pageOf,
  pageQuery,
  readCamel,
} from "../kit/schemas.ts";
import { FilterInput, readFilter } from "./filter-schemas.ts";
import { Replaced } from "./subscriber-record.ts";
import { Email, FoundSchema, ListId, SubscriberId, toFound } from "./subscriber-schemas.ts";

const filters = {
  state: Type.Optional(OneOf(states, "Only subscribers in this state.")),
  listId: Type.Optional(ListId("The id of a list: only its members, including pending and suspended ones.")),
};
const SortWord = OneOfCamel(
  subscriberOrders,
  "The order; if it is not given, the quickest one. `oldest` and `newest` are about when subscribers were added to the account. With an address or the beginning of addresses, only `address` and `addressDesc`; with another search, a list or a state other than `active`, only `oldest` and `newest`.",
);
const Sort = Type.Optional(SortWord);
const anyOf = ({
  state,
  listId,
  sort,
  filter = [],
}: {
  readonly state?: (typeof states)[number];
  readonly listId?: string;
  readonly sort?: Static<typeof SortWord>;
  readonly filter?: Static<typeof FilterInput>;
}) => ({
  sort: sort === undefined ? null : readCamel(subscriberOrders, sort),
  state: state ?? null,
  list: listId === undefined ? null : Number(listId),
  filter: readFilter(filter),
});
/** The names in requests of what the actions call otherwise. */
const inputs = { list: "listId", newEmail: "email", clearFields: "values" };
const ORDER =
  "Without `sort`, sorted by address; with `listId`, and without an address or the beginning of addresses, by the time at which they became subscribers. A search by domain, name, state or `filter` without `listId` has the order that is quickest for the database, the same on all pages. A search goes on for a second, and can then have fewer items than `limit`, or none, although `next` is not null: go on until `next` is null.";
const FoundPage = Collection(FoundSchema, {
  searchedCount: Nullable(
    Type.Integer({
      description:
        "How many subscribers this search has looked at, if it has ended before it has found `limit` of them. null: the page is full, or the last one.",
    }),
  ),
});
const toFoundPage = (page: FoundSubscribers) => ({
  ...collection(page, toFound),
  searchedCount: page.searched,
});

const FieldId = Type.String({ pattern: WIDE, description: "The id of the custom field.", examples: ["1"] });
const toFieldValue = <Value>({ fieldId, value }: { readonly fieldId: string; readonly value: Value }) => ({
  field: BigInt(fieldId),
  value,
});
const basics = {
  firstName: Type.String({ examples: ["Ada"] }),
  lastName: Type.String(),
  gender: Type.String({ description: "M, F or X." }),
  birthday: Type.String({ description: "As yyyy-mm-dd." }),
  country: Type.String({ description: "As ISO 3166-1: two letters, three letters or a number." }),
};
export const AddedSchema = Named("AddedSubscriber", {
  id: SubscriberId,
  email: Type.String(),
  isPending: Type.Boolean({
    description: "true: the membership exists, but waits for the person's confirmation.",
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
}) => ({ id: idOrNull(id), email: address, isPending });

/** A value that is null is cleared. */
export const correctionMembers = {
  firstName: Type.Optional({ ...Nullable(basics.firstName), examples: ["Ada"] }),
  lastName: Type.Optional(Nullable(basics.lastName)),
  gender: Type.Optional(Nullable(basics.gender)),
  birthday: Type.Optional(Nullable(basics.birthday)),
  country: Type.Optional(Nullable(basics.country)),
  values: Type.Optional(Type.Array(Input({ fieldId: FieldId, value: Nullable(Type.String()) }))),
};
const Correction = Input(correctionMembers);
const AddBody = NamedInput("NewSubscriber", { listId: ListId(), email: Email, ...correctionMembers });
export const toChanges = <Given extends Static<typeof Correction>>({ values, ...given }: Given) => ({
  ...given,
  ...(values === undefined ? {} : { values: values.map(toFieldValue) }),
});
export const subscriberRoutes = [
  route("GET /accounts/{account}/subscribers", {
    summary: "List subscribers",
    description: `${ORDER} To search by address, name or other data, use \`subscribers:search\`.`,
    action: findSubscribers,
    query: Type.Object({ ...filters, sort: Sort, ...pageQuery }),
    args: ({ params, query }) => ({ ...params, search: null, name: null, ...anyOf(query), ...pageOf(query) }),
    inputs,
    reply: FoundPage,
    answer: toFoundPage,
  }),
  route("POST /accounts/{account}/subscribers:search", {
    id: "subscriber.search",
    summary: "Search subscribers by address, name or other data",
    description: `This is a POST, because URLs end up in logs and must not contain an address or a name. It changes nothing. ${ORDER}`,
    action: findSubscribers,
    body: Input({
      search: Type.Optional(
        Type.String({
          description: "An address, a domain such as `@example.org`, or the beginning of an address.",
          examples: ["@example.org"],
        }),
      ),
      name: Type.Optional(Type.String({ description: "The beginning of a first, last or full name." })),
      ...filters,
      filter: Type.Optional(FilterInput),
      sort: Sort,
      ...pageQuery,
    }),
    args: ({ params, body }) => ({
      ...params,
      search: body.search ?? null,
      name: body.name ?? null,
      ...anyOf(body),
      ...pageOf(body),
    }),
    inputs,
    reply: FoundPage,
    answer: toFoundPage,
  }),
  route("POST /accounts/{account}/subscribers", {
    summary: "Add an address to a list, with data",
    description:
      "If the address is already a subscriber, that subscriber is put on the list, and the given values replace the stored ones: null clears one. An address with a suppression is refused.",
    action: addSubscriber,
    body: AddBody,
    args: ({ params, body: { listId, email, ...given } }) => ({
      ...params,
      email,
      list: Number(listId),
      ...correctionOf(toChanges(given)),
    }),
    inputs,
    reply: AddedSchema,
    answer: toAdded,
  }),
  route("PATCH /accounts/{account}/subscribers/{subscriber}", {
    summary: "Correct a subscriber",
    description:
      "A member that is left out stays as it is; null clears a value. A change of address is refused while the subscriber or the new address has a suppression.",
    action: setSubscriber,
    body: Input({
      email: Type.Optional(Type.String({ description: "The new address." })),
      ...correctionMembers,
    }),
    args: ({ params, body: { email = null, ...given } }) => ({
      ...idsOf(params),
      newEmail: email,
      ...correctionOf(toChanges(given)),
    }),
    inputs,
    reply: Type.Object({
      id: Id(),
      email: Type.String(),
      replaced: Type.Array(Replaced, {
        description: "What has changed.",
      }),
    }),
    answer: ({ address, replaced }, { params }) => ({
      id: String(params.subscriber),
      email: address,
      replaced: replaced.map((one) => allWritten(replacedDocument(one))),
    }),
    thing: "subscriber",
    versioned: () => null,
  }),
];
