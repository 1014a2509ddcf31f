/** One search for everything in an account. */
import { Type } from "typebox";
import { MAX_FOUND, searchEverything } from "#admin/search-everything.ts";
import { states } from "#domain/subscriber/subscriber.ts";
import { route } from "../kit/route.ts";
import { camel, Id, Input, Nullable, OneOf, textOrNull } from "../kit/schemas.ts";

const Named = Type.Object({ id: Id(), name: Type.String() });
const toNamed = ({ id, name }: { readonly id: number; readonly name: string }) => ({ id: String(id), name });

export const searchRoutes = [
  route("POST /accounts/{account}/search", {
    summary: "Find a subscriber, list, campaign, API key or refused call",
    description: `Changes nothing. Finds at most ${MAX_FOUND} of each: subscribers by address or its beginning; lists, campaigns and keys by the beginning of the name, keys also by their first four characters; a refused call by its id. Only the newest 10,000 lists, campaigns and keys are searched.`,
    action: searchEverything,
    body: Input({ text: Type.String({ examples: ["ada"] }) }),
    reply: Type.Object({
      subscribers: Type.Array(Type.Object({ id: Id(), email: Type.String(), state: OneOf(states) })),
      lists: Type.Array(Named),
      campaigns: Type.Array(Named),
      keys: Type.Array(Type.Object({ id: Id(), name: Nullable(Type.String()), hint: Type.String() })),
      refusedCall: Nullable(Type.Object({ id: Id(), operation: Type.String(), outcome: Type.String() })),
    }),
    answer: ({ subscribers, lists, campaigns, keys, refusedCall }) => ({
      subscribers: subscribers.map(({ id, address, state }) => ({ id: String(id), email: address, state })),
      lists: lists.map(toNamed),
      campaigns: campaigns.map(toNamed),
      keys: keys.map(({ id, label, hint }) => ({ id: String(id), name: textOrNull(label), hint })),
      refusedCall:
        refusedCall === null
          ? null
          : {
              id: String(refusedCall.id),
              operation: refusedCall.operation,
              outcome: camel(refusedCall.outcome),
            },
    }),
  }),
];
