/** Many changes of subscribers in one request, with a result for each. */
import { type Static, Type } from "typebox";
import {
  type BatchItem,
  batchActions,
  changeSubscribers,
  type ItemResult,
  MAX_BATCH,
} from "../../../../admin/subscribers/batch.ts";
import { StoreUnavailable } from "../../../../domain/ports/errors.ts";
import { NamedInput } from "../../kit/named.ts";
import { NUMBER } from "../../kit/path.ts";
import { Problem, problemDocument, problemOf } from "../../kit/problems.ts";
import { route } from "../../kit/route.ts";
import { Id, Input, Nullable, OneOf } from "../../kit/schemas.ts";
import { Email, ListRef } from "./schemas.ts";
import { correctionMembers, tag } from "./subscribers.ts";

const BODY_LIMIT = 4 * 1024 ** 2;

const Item = NamedInput("BatchItem", {
  action: OneOf(batchActions),
  email: Type.Optional(Email),
  id: Type.Optional(
    Type.String({ pattern: NUMBER, description: "The id of the subscriber. Give either `id` or `email`." }),
  ),
  list: Type.Optional(ListRef("For `add` and `remove`: the id of the list.")),
  newEmail: Type.Optional(Type.String({ description: "For `update`: the new address." })),
  ...correctionMembers,
});
const toItem = ({ id, list, ...item }: Static<typeof Item>): BatchItem => ({
  ...item,
  ...(id === undefined ? {} : { id: Number(id) }),
  ...(list === undefined ? {} : { list: Number(list) }),
});

const Result = Type.Object({
  index: Type.Integer({ description: "The position of the item, from 0." }),
  outcome: Type.String({
    description:
      "`Done`; or the outcome that a SOAP call for the same change would get, such as `Unsubscribed`; or `Failed` for any other problem.",
    examples: ["Done"],
  }),
  id: Nullable(
    Id("The id of the subscriber; null if the item was not carried out, or the subscriber no longer exists."),
  ),
  problem: Nullable(
    Type.Object(
      {
        type: Type.String(),
        title: Type.String(),
        status: Type.Integer(),
        detail: Type.String(),
        errors: Type.Optional(Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }))),
      },
      { description: "A problem document (RFC 9457); null if the outcome is Done." },
    ),
  ),
});

const UNKNOWN =
  "The database did not answer, so it is not known whether the item was carried out. Repeat the request.";

function toResult(result: ItemResult, index: number, base: string): Static<typeof Result> {
  if (result.error === null)
    return { index, outcome: "Done", id: result.id === null ? null : String(result.id), problem: null };
  const { error } = result;
  const problem =
    error instanceof StoreUnavailable ? new Problem("unavailable", UNKNOWN) : problemOf(error, batchRoute);
  if (problem === null) throw error;
  const { type, title, status, detail, outcome, errors } = problemDocument(problem, base) as ProblemDocument;
  return {
    index,
    outcome: outcome ?? "Failed",
    id: null,
    problem: {
      type,
      title,
      status,
      detail,
      ...(errors === undefined
        ? {}
        : {
            errors: errors.map((one) => ({
              pointer: `#/items/${index}${one.pointer.slice(1)}`,
              detail: one.detail,
            })),
          }),
    },
  };
}
/** All inputs of an item are in the body. */
interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly outcome?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

export const batchRoute = route({
  method: "POST",
  path: "/accounts/{account}/subscribers:batch",
  tag,
  summary: "Add, update, remove or unsubscribe many subscribers",
  description:
    "Each item is carried out separately and has its own result. If one is refused, the others are still carried out, so check every result. Items about the same person are carried out in the order of the request. If the body does not match the description below, nothing is done.",
  action: changeSubscribers,
  body: Input({ items: Type.Array(Item, { minItems: 1, maxItems: MAX_BATCH }) }),
  bodyLimit: BODY_LIMIT,
  args: ({ params, body }) => ({ ...params, items: body.items.map(toItem) }),
  inputs: { clearFields: "values" },
  status: 200,
  reply: Type.Object({
    failed: Type.Integer({ description: "How many items were not carried out." }),
    results: Type.Array(Result, { description: "In the order of the items." }),
  }),
  answer: (results, { base }) => ({
    failed: results.filter(({ error }) => error !== null).length,
    results: results.map((result, index) => toResult(result, index, base)),
  }),
});
