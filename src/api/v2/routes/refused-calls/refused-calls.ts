/** Calls that the service refused: to be looked at, corrected and replayed, or dismissed. */
import { Type } from "typebox";
import {
  dismissRefusal,
  findRefusal,
  listNoOps,
  listRefusals,
  replayRefusal,
} from "#admin/refusals/refusals.ts";
import { outcomes } from "#contract/outcomes.ts";
import type { Refusal } from "#domain/refusal.ts";
import { camel } from "../../kit/camel.ts";
import { Named } from "../../kit/named.ts";
import { Outcome, outcomeWord, readOutcome } from "../../kit/outcomes.ts";
import { route } from "../../kit/route.ts";
import {
  Collection,
  collection,
  Id,
  Input,
  Nullable,
  pageOf,
  pageOfAll,
  pageQuery,
  readId,
  ServiceName,
  Time,
  time,
} from "../../kit/schemas.ts";

export const Operation = ServiceName({ examples: ["Subscriber.Add"] });
const Byte = Nullable(
  Type.Integer({ description: "The result byte that the caller got; null if the outcome has none." }),
);
const byteOf = (outcome: string): number | null =>
  Object.hasOwn(outcomes, outcome) ? outcomes[outcome as keyof typeof outcomes].byte : null;
const meaningOf = (outcome: string): string =>
  Object.hasOwn(outcomes, outcome) ? outcomes[outcome as keyof typeof outcomes].text : outcome;

export const RefusedCall = Named("RefusedCall", {
  id: Id(),
  operation: Operation,
  arguments: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: "object",
    additionalProperties: true,
    description: "The arguments by their names in the call, without the API key.",
  }),
  isCut: Type.Boolean({
    description: "true: the arguments were too long to be stored in full, so the call cannot be replayed.",
  }),
  outcome: Outcome,
  byte: Byte,
  meaning: Type.String({ description: "What the outcome means." }),
  keyId: Nullable(Id("The id of the API key; null: it is not known.")),
  callCount: Type.Integer({ description: "How often the same call was refused." }),
  firstAt: Time(),
  lastAt: Time(),
});
export const toRefusedCall = (refusal: Refusal) => ({
  id: String(refusal.id),
  operation: refusal.operation,
  arguments: JSON.parse(refusal.args) as Readonly<Record<string, unknown>>,
  isCut: refusal.isCut,
  outcome: outcomeWord(refusal.outcome),
  byte: byteOf(refusal.outcome),
  meaning: meaningOf(refusal.outcome),
  keyId: refusal.key === null ? null : String(refusal.key),
  callCount: refusal.count,
  firstAt: time(refusal.firstAt),
  lastAt: time(refusal.lastAt),
});

const tag = "Refused calls";
const idOf = ({ account, refusedCall }: { readonly account: number; readonly refusedCall: number }) => ({
  account,
  id: refusedCall,
});

export const refusedCallRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/refused-calls",
    tag,
    summary: "List refused calls",
    description:
      "The most recently refused first. With a filter, a page may have fewer items than `limit` although there are more: go on until `next` is null.",
    action: listRefusals,
    query: Type.Object({
      operation: Type.Optional(Operation),
      outcome: Type.Optional(Outcome),
      keyId: Type.Optional(Id("The id of an API key.")),
      ...pageQuery,
    }),
    args: ({ params, query: { operation = null, outcome, keyId, ...page } }) => ({
      ...params,
      operation,
      outcome: outcome === undefined ? null : readOutcome(outcome),
      key: keyId === undefined ? null : readId(keyId),
      ...pageOf(page),
    }),
    status: 200,
    reply: Collection(RefusedCall),
    answer: (page) => collection(page, toRefusedCall),
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/refused-calls/{refusedCall}",
    tag,
    summary: "Show a refused call",
    action: findRefusal,
    args: ({ params }) => idOf(params),
    status: 200,
    reply: RefusedCall,
    answer: toRefusedCall,
  }),
  route({
    method: "POST",
    path: "/accounts/{account}/refused-calls/{refusedCall}/replay",
    tag,
    summary: "Execute a refused call again",
    description:
      "If the call succeeds, it is removed from the refused calls. If it is refused again, the reply has the new outcome, and the refused call is kept.",
    action: replayRefusal,
    body: Input({
      corrections: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: "New values of arguments, by their names in the call.",
          examples: [{ EMail: "ada@example.org" }],
        }),
      ),
    }),
    args: ({ params, body: { corrections = {} } }) => ({ ...idOf(params), corrections }),
    status: 200,
    reply: Type.Object({
      outcome: Type.String({ examples: ["done"] }),
      byte: Type.Integer({ description: "0: it succeeded." }),
      isRemoved: Type.Boolean({
        description: "Whether the call succeeded and was removed from the refused calls.",
      }),
    }),
    answer: ({ outcome, byte }) => ({ outcome: camel(outcome), byte, isRemoved: byte === 0 }),
  }),
  route({
    method: "DELETE",
    path: "/accounts/{account}/refused-calls/{refusedCall}",
    tag,
    summary: "Dismiss a refused call",
    description: "Removes it from the refused calls. If the call is refused again, it is stored again.",
    action: dismissRefusal,
    args: ({ params }) => idOf(params),
    status: 204,
    answer: () => null,
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/no-ops",
    tag,
    summary: "Count the calls that changed nothing",
    description:
      "For example, the removal of an address that is not on the list. Such calls are only counted, not stored.",
    action: listNoOps,
    query: Type.Object(pageQuery),
    args: ({ params }) => params,
    status: 200,
    reply: Collection(
      Type.Object({ operation: Operation, outcome: Outcome, byte: Byte, callCount: Type.Integer() }),
    ),
    answer: (counts, { query }) =>
      pageOfAll(counts, query, ({ operation, outcome, count }) => ({
        ...{ operation, outcome: outcomeWord(outcome), byte: byteOf(outcome), callCount: count },
      })),
  }),
];
