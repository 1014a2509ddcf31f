/** Numbers per day: who joined and left, and what the programs of each API key called. */
import { Type } from "typebox";
import { countStates } from "#admin/accounts.ts";
import { keyUse, MAX_KEY_DAYS, MAX_KEYS, SHOWN_PROGRAMS } from "#admin/keys/key-use.ts";
import {
  callDays,
  DEFAULT_DAYS,
  listTotals,
  MAX_DAYS,
  subscriberDays,
  topPrograms,
} from "#admin/statistics.ts";
import type { KeyId } from "#domain/access/key.ts";
import { CALLS_KEPT_DAYS, MAX_PROGRAMS, type Quirk, type QuirkKind } from "#domain/statistics.ts";
import { bySuppression, type State } from "#domain/subscriber/subscriber.ts";
import { route } from "../kit/route.ts";
import {
  Collection,
  collection,
  Id,
  Nullable,
  OneOf,
  pageOf,
  pageOfAll,
  pageQuery,
  readId,
  Time,
  textOrNull,
  time,
} from "../kit/schemas.ts";

export const Day = (description?: string) =>
  Type.String({ format: "date", ...(description === undefined ? {} : { description }) });
const days = {
  from: Type.Optional(Day(`The first day. Without it, ${DEFAULT_DAYS} days up to the last one.`)),
  to: Type.Optional(Day("The last day. Without it, today.")),
};
const keyId = Type.Optional(Id("Only calls with this API key."));
export const daysOf = ({ from, to }: { readonly from?: string; readonly to?: string }) => ({
  from: from ?? null,
  to: to ?? null,
});
const readIdOrNull = (id: string | undefined): number | null => (id === undefined ? null : readId(id));

const withKeyId = <Row extends { readonly key: KeyId }>({ key, ...row }: Row) => ({
  keyId: String(key),
  ...row,
});

const quirkNames = {
  "charset-mismatch": "charsetMismatch",
  "http-1.0": "http10",
  "wsdl-every-call": "wsdlEveryCall",
} as const satisfies Record<QuirkKind, string>;
export const quirkMembers = {
  quirk: OneOf(
    Object.values(quirkNames),
    "`charsetMismatch`: a request was not in the charset that it declared. `http10`: the program uses HTTP/1.0. `wsdlEveryCall`: the program reads the WSDL again for at least every second call.",
  ),
  program: Type.String({ description: "The program that showed it last." }),
  lastSeenAt: Time(),
};
export const toQuirk = ({ quirk, program: shownBy, seenAt }: Omit<Quirk, "key">) => ({
  quirk: quirkNames[quirk],
  program: shownBy,
  lastSeenAt: time(seenAt),
});

export const counts = {
  calls: Type.Integer({ description: "All calls, including the refused ones and the faults." }),
  refusals: Type.Integer(),
  faults: Type.Integer(),
};
const program = Type.String({
  description: `The product that the User-Agent names, such as \`PHP-SOAP 7.4\`. A key has at most ${MAX_PROGRAMS} a day; further ones are \`(other)\`.`,
});
const lastDate = Day("The last day with a call.");
export const RANGE = `Days are days in UTC, at most ${MAX_DAYS} at once.`;
const COUNTED = `Calls without a valid key are not counted. Calls are kept for ${CALLS_KEPT_DAYS} days.`;
const KEPT = `${COUNTED} ${RANGE}`;
const byState = <Value>(of: (state: State) => Value) => ({ active: of("active"), ...bySuppression(of) });

export const statisticsRoutes = [
  route("GET /accounts/{account}/statistics/subscribers", {
    summary: "Count per day who joined and left, and how many subscribers were active",
    description: `Every day of the range, the oldest first. ${RANGE}`,
    action: subscriberDays,
    query: Type.Object({
      listId: Type.Optional(Id("Only members of this list. Without it, all subscribers of the account.")),
      ...days,
      ...pageQuery,
    }),
    args: ({ params, query }) => ({ ...params, list: readIdOrNull(query.listId), ...daysOf(query) }),
    reply: Collection(
      Type.Object({
        date: Day(),
        joined: Type.Integer(),
        left: Type.Integer(),
        active: Type.Integer({ description: "At the end of the day." }),
      }),
    ),
    answer: (rows, { query }) => pageOfAll(rows, query, (day) => day),
  }),
  route("GET /accounts/{account}/statistics/states", {
    summary: "Count the subscribers in each state",
    description: "As they are now.",
    action: countStates,
    reply: Type.Object({
      counts: Type.Object(byState(() => Type.Integer())),
    }),
    answer: (counts) => ({ counts }),
  }),
  route("GET /accounts/{account}/statistics/lists", {
    summary: "Count for each list who joined and left",
    description: RANGE,
    action: listTotals,
    query: Type.Object({ ...days, ...pageQuery }),
    args: ({ params, query }) => ({ ...params, ...daysOf(query), ...pageOf(query) }),
    reply: Collection(
      Type.Object({
        id: Id(),
        name: Type.String(),
        joined: Type.Integer(),
        left: Type.Integer(),
        members: Type.Integer({ description: "How many active subscribers are on the list now." }),
      }),
    ),
    answer: (page) =>
      collection(page, ({ id, name, joined, left, members }) => ({
        ...{ id: String(id), name, joined, left, members },
      })),
  }),
  route("GET /accounts/{account}/statistics/calls", {
    summary: "Count the calls per API key, day and client program",
    description: KEPT,
    action: callDays,
    query: Type.Object({ keyId, ...days, ...pageQuery }),
    args: ({ params, query }) => ({
      ...params,
      key: readIdOrNull(query.keyId),
      ...daysOf(query),
      ...pageOf(query),
    }),
    reply: Collection(Type.Object({ keyId: Id(), date: Day(), program, ...counts })),
    answer: (page) => collection(page, withKeyId),
  }),
  route("GET /accounts/{account}/statistics/top-programs", {
    summary: "Show the client programs with the most calls, per API key over all days",
    description: `The one with the most calls first, without pages, and observations about the programs. ${KEPT}`,
    action: topPrograms,
    query: Type.Object({ keyId, ...days, limit: pageQuery.limit }),
    args: ({ params, query }) => ({
      ...params,
      key: readIdOrNull(query.keyId),
      ...daysOf(query),
      limit: pageOf(query).limit,
    }),
    reply: Type.Object({
      programs: Type.Array(Type.Object({ keyId: Id(), program, ...counts, lastDate })),
      hasMore: Type.Boolean({ description: "There are more programs than `limit`." }),
      quirks: Type.Array(
        Type.Object({
          keyId: Id(),
          ...quirkMembers,
          lastSeenAt: Time("When it was last seen, also outside of the range."),
        }),
      ),
    }),
    answer: ({ programs, hasMore, quirks }) => ({
      programs: programs.map(withKeyId),
      hasMore,
      quirks: quirks.map(({ key, ...quirk }) => ({ keyId: String(key), ...toQuirk(quirk) })),
    }),
  }),
  route("GET /accounts/{account}/statistics/keys", {
    summary: "Show for each API key its calls per day and its programs",
    description: `By id, at most ${MAX_KEYS} keys and ${MAX_KEY_DAYS} days at once. Every day of the range, the oldest first; of the programs, the ${SHOWN_PROGRAMS} with the most calls. Days are days in UTC. ${COUNTED}`,
    action: keyUse,
    query: Type.Object({ keyId, ...days, ...pageQuery }),
    args: ({ params, query }) => ({
      ...params,
      key: readIdOrNull(query.keyId),
      ...daysOf(query),
      ...pageOf(query),
    }),
    reply: Collection(
      Type.Object({
        keyId: Id(),
        name: Nullable(Type.String({ description: "Of the key; null: none was given." })),
        total: Type.Object(counts),
        days: Type.Array(Type.Object({ date: Day(), ...counts })),
        programs: Type.Array(Type.Object({ program, ...counts, lastDate })),
        programCount: Type.Integer({ description: "All programs, including those that are not listed." }),
        quirks: Type.Array(Type.Object(quirkMembers)),
      }),
    ),
    answer: (page) =>
      collection(page, ({ key, total, days: ofKey, programs, programCount, quirks }) => ({
        keyId: String(key.id),
        name: textOrNull(key.label),
        total,
        days: [...ofKey],
        programs: [...programs],
        programCount,
        quirks: quirks.map(toQuirk),
      })),
  }),
];
