/** An address that may be no subscriber: whether it can be added, and why not. */
import { Type } from "typebox";
import { showAddress } from "#admin/subscribers/address-status.ts";
import { ActorSchema } from "../../kit/actor.ts";
import { route } from "../../kit/route.ts";
import { Id, Input, idOrNull, Nullable, Time, time } from "../../kit/schemas.ts";
import { Email, SuppressionsSchema, tag, toSuppressions } from "./schemas.ts";

export const addressRoute = route({
  method: "POST",
  path: "/accounts/{account}/subscribers:address",
  tag,
  summary: "Show whether an address is a subscriber, blocked or suppressed",
  description:
    "This is a POST, because URLs end up in logs and must not contain an address. It changes nothing. The suppressions of a subscriber are at `subscribers/{subscriber}`.",
  action: showAddress,
  body: Input({ email: Email }),
  args: ({ params, body }) => ({ ...params, ...body }),
  status: 200,
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
    remainingSuppressions: kept === null ? null : toSuppressions(kept),
  }),
});
