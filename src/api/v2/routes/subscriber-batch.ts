/** Many changes of subscribers in one request, with a result for each. */
import { type Static, Type } from "typebox";
import { type BatchItem, batchActions, changeSubscribers, MAX_BATCH } from "#admin/subscribers/batch.ts";
import { NUMBER } from "#web/path.ts";
import { BatchSchema, batchReply } from "../kit/batch.ts";
import { type Route, route } from "../kit/route.ts";
import { Input, NamedInput, OneOf } from "../kit/schemas.ts";
import { Email, ListId } from "./subscriber-schemas.ts";
import { correctionMembers, toChanges } from "./subscribers.ts";

const BODY_LIMIT = 4 * 1024 ** 2;

const Item = NamedInput("BatchItem", {
  action: OneOf(batchActions),
  email: Type.Optional(Email),
  id: Type.Optional(
    Type.String({ pattern: NUMBER, description: "The id of the subscriber. Give either `id` or `email`." }),
  ),
  listId: Type.Optional(ListId("For `add` and `remove`: the id of the list.")),
  newEmail: Type.Optional(Type.String({ description: "For `update`: the new address." })),
  ...correctionMembers,
});
const toItem = ({ id, listId, ...item }: Static<typeof Item>): BatchItem => ({
  ...toChanges(item),
  ...(id === undefined ? {} : { id: Number(id) }),
  ...(listId === undefined ? {} : { list: Number(listId) }),
});

export const batchRoute: Route = route("POST /accounts/{account}/subscribers:batch", {
  summary: "Add, update, remove or unsubscribe many subscribers",
  description:
    "Each item is carried out separately and has its own result. If one is refused, the others are still carried out, so check every result. Items about the same person are carried out in the order of the request. If the body does not match the description below, nothing is done.",
  action: changeSubscribers,
  body: Input({ items: Type.Array(Item, { minItems: 1, maxItems: MAX_BATCH }) }),
  bodyLimit: BODY_LIMIT,
  args: ({ params, body }) => ({ ...params, items: body.items.map(toItem) }),
  inputs: { list: "listId", clearFields: "values" },
  reply: BatchSchema,
  answer: (results, { base }) => batchReply(results, { ...batchRoute, body: Item }, base),
});
