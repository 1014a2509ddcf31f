/** Refused calls by the group: those of one operation and outcome, replayed or dismissed as a job. */
import { type Static, Type } from "typebox";
import {
  dismissRefusal,
  dismissRefusalGroup,
  findRefusal,
  listNoOps,
  listRefusalGroups,
  listRefusals,
  previewRefusalGroup,
  replayRefusal,
  replayRefusalGroup,
} from "#admin/refused-calls.ts";
import { type OutcomeName, outcomes } from "#contract/outcomes.ts";
import type { Refusal } from "#domain/refused-call.ts";
import { startsJob } from "../kit/jobs.ts";
import { idsOf, route } from "../kit/route.ts";
import {
  type Camel,
  Collection,
  camel,
  collection,
  Id,
  Input,
  Named,
  Nullable,
  noReply,
  OneOfCamel,
  pageOf,
  pageOfAll,
  pageQuery,
  readCamel,
  readId,
  ServiceName,
  Time,
  written,
} from "../kit/schemas.ts";

/** Calls that the service refused: to be looked at, corrected and replayed, or dismissed. */
const outcomeNames = Object.keys(outcomes) as readonly OutcomeName[];
const Outcome = OneOfCamel(outcomeNames, "Why the call was refused.");
/** An earlier version may have stored an outcome that this version does not know. */
const outcomeWord = (stored: string): Camel<OutcomeName> => camel(stored) as Camel<OutcomeName>;
const readOutcome = (word: Camel<OutcomeName>): OutcomeName => readCamel(outcomeNames, word);
const Operation = ServiceName({ examples: ["Subscriber.Add"] });
const Byte = Nullable(
  Type.Integer({ description: "The result byte that the caller got; null if the outcome has none." }),
);
const byteOf = (outcome: string): number | null =>
  Object.hasOwn(outcomes, outcome) ? outcomes[outcome as keyof typeof outcomes].byte : null;
const meaningOf = (outcome: string): string =>
  Object.hasOwn(outcomes, outcome) ? outcomes[outcome as keyof typeof outcomes].text : outcome;

const RefusedCall = Named("RefusedCall", {
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
const toRefusedCall = (refusal: Refusal) => ({
  ...written({ ...refusal, keyId: refusal.key }),
  arguments: JSON.parse(refusal.args) as Readonly<Record<string, unknown>>,
  outcome: outcomeWord(refusal.outcome),
  byte: byteOf(refusal.outcome),
  meaning: meaningOf(refusal.outcome),
  callCount: refusal.count,
});

export const refusedCallRoutes = [
  route("GET /accounts/{account}/refused-calls", {
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
    reply: Collection(RefusedCall),
    answer: (page) => collection(page, toRefusedCall),
  }),
  route("GET /accounts/{account}/refused-calls/{refusedCall}", {
    summary: "Show a refused call",
    action: findRefusal,
    reply: RefusedCall,
    answer: toRefusedCall,
  }),
  route("POST /accounts/{account}/refused-calls/{refusedCall}/replay", {
    summary: "Execute a refused call again",
    description:
      "If the call succeeds, or has nothing to change, it is removed from the refused calls. If it is refused again, the reply has the new outcome, and the refused call is kept.",
    action: replayRefusal,
    body: Input({
      corrections: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description: "New values of arguments, by their names in the call.",
          examples: [{ EMail: "ada@example.org" }],
        }),
      ),
    }),
    args: ({ params, body: { corrections = {} } }) => ({ ...idsOf(params), corrections }),
    reply: Type.Object({
      outcome: Type.String({ examples: ["done"] }),
      byte: Type.Integer({ description: "0: it succeeded." }),
      isRemoved: Type.Boolean({
        description:
          "Whether the call succeeded, or had nothing to change, and was removed from the refused calls.",
      }),
    }),
    answer: ({ outcome, byte, isRemoved }) => ({ outcome: camel(outcome), byte, isRemoved }),
  }),
  route("DELETE /accounts/{account}/refused-calls/{refusedCall}", {
    summary: "Dismiss a refused call",
    description: "Removes it from the refused calls. If the call is refused again, it is stored again.",
    action: dismissRefusal,
    ...noReply,
  }),
  route("GET /accounts/{account}/no-ops", {
    summary: "Count the calls that changed nothing",
    description:
      "For example, the removal of an address that is not on the list. Such calls are only counted, not stored.",
    action: listNoOps,
    query: Type.Object(pageQuery),
    reply: Collection(
      Type.Object({ operation: Operation, outcome: Outcome, byte: Byte, callCount: Type.Integer() }),
    ),
    answer: (counts, { query }) =>
      pageOfAll(counts, query, ({ operation, outcome, count }) => ({
        ...{ operation, outcome: outcomeWord(outcome), byte: byteOf(outcome), callCount: count },
      })),
  }),
];

const group = {
  operation: Operation,
  outcome: Outcome,
  keyId: Type.Optional(Id("The id of an API key. If it is not given: calls with all keys.")),
};
const Group = Input(group);
/** An id that a program has sent may be anything. */
const Unknown = (description: string) =>
  Type.Array(
    Type.Object({
      id: Type.String({ description: "As the calls name it; `0`: they name none." }),
      rowCount: Type.Integer({ description: "How many refused calls name it, among the first 5,000." }),
    }),
    { description },
  );
const toGroup = ({ operation, outcome, keyId }: Static<typeof Group>) => ({
  operation,
  outcome: readOutcome(outcome),
  key: keyId === undefined ? null : readId(keyId),
});

export const refusalGroupRoutes = [
  route("GET /accounts/{account}/refused-call-groups", {
    summary: "Count the refused calls by operation, outcome and key",
    description: "The largest groups first.",
    action: listRefusalGroups,
    query: Type.Object(pageQuery),
    reply: Collection(
      Type.Object({
        operation: Operation,
        outcome: Outcome,
        keyId: Nullable(Id("The id of the API key; null if it is not known.")),
        rowCount: Type.Integer({ description: "How many different refused calls there are." }),
        callCount: Type.Integer({ description: "How often these calls were made in all." }),
        firstAt: Time(),
        lastAt: Time(),
      }),
    ),
    answer: (groups, { query }) =>
      pageOfAll(groups, query, ({ outcome, key, rows, calls, ...group }) => ({
        ...written({ ...group, keyId: key, rowCount: rows, callCount: calls }),
        outcome: outcomeWord(outcome),
      })),
  }),
  route("POST /accounts/{account}/refused-calls:preview", {
    summary: "Preview the replay or dismissal of a group of refused calls",
    description: "Returns how many refused calls the group has, and the newest of them. Nothing is changed.",
    action: previewRefusalGroup,
    id: "refused.previewGroup",
    body: Group,
    args: ({ params, body }) => ({ ...params, ...toGroup(body) }),
    reply: Type.Object({
      rowCount: Type.Integer({ description: "How many different refused calls there are." }),
      hasMore: Type.Boolean({
        description: "true: there are more than `rowCount`, because counting stopped there.",
      }),
      sample: Type.Array(RefusedCall),
      unknownLists: Unknown("Lists that do not exist, as calls refused with `unknownList` name them."),
      unknownFields: Unknown("Fields that do not exist, as calls refused with `unknownField` name them."),
    }),
    answer: ({ count, isMore, sample, unknown }) => ({
      rowCount: count,
      hasMore: isMore,
      sample: sample.map(toRefusedCall),
      unknownLists: unknown.lists.map(({ id, calls }) => ({ id, rowCount: calls })),
      unknownFields: unknown.fields.map(({ id, calls }) => ({ id, rowCount: calls })),
    }),
  }),
  route("POST /accounts/{account}/refused-calls:replay", {
    summary: "Execute a group of refused calls again",
    description:
      "A job executes them in the order in which they were first refused, each once. Calls that succeed are removed from the refused calls. A call that is refused for another reason is kept with that reason and the corrections. The result of the job has the number of calls per outcome.",
    action: replayRefusalGroup,
    body: Input({
      ...group,
      lists: Type.Optional(
        Type.Record(Type.String(), Id(), {
          description:
            "Only with the outcome `unknownList`: the lists that are meant, by the ids that the calls name. Other calls are executed as they are.",
          examples: [{ "99": "1" }],
        }),
      ),
      fields: Type.Optional(
        Type.Record(Type.String(), Nullable(Id()), {
          description:
            "Only with the outcome `unknownField`: the fields that are meant, by the ids that the calls name; null leaves the value out.",
          examples: [{ "99": "1", "100": null }],
        }),
      ),
    }),
    args: ({ params, body: { lists = {}, fields = {}, ...body } }) => ({
      ...params,
      ...toGroup(body),
      lists: Object.fromEntries(Object.entries(lists).map(([id, meant]) => [id, readId(meant)])),
      fields: Object.fromEntries(
        Object.entries(fields).map(([id, meant]) => [id, meant === null ? null : BigInt(meant)]),
      ),
    }),
    ...startsJob,
  }),
  route("POST /accounts/{account}/refused-calls:dismiss", {
    summary: "Dismiss a group of refused calls",
    description:
      "A job removes them from the refused calls. Calls that are refused while the job runs are kept.",
    action: dismissRefusalGroup,
    body: Group,
    args: ({ params, body }) => ({ ...params, ...toGroup(body) }),
    ...startsJob,
  }),
];
