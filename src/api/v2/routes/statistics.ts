/** Numbers per day: who joined and left, and what the programs of each API key called. */
import { Type } from "typebox";
import {
  callDays,
  DEFAULT_DAYS,
  listTotals,
  MAX_DAYS,
  programTotals,
  subscriberDays,
} from "../../../admin/statistics.ts";
import { CALLS_KEPT_DAYS, MAX_PROGRAMS, quirkKinds } from "../../../domain/statistics.ts";
import { route } from "../kit/route.ts";
import { Collection, collection, Id, OneOf, pageOf, pageQuery, readId, Time, time } from "../kit/schemas.ts";

const Day = (description?: string) =>
  Type.String({ format: "date", ...(description === undefined ? {} : { description }) });
const days = {
  from: Type.Optional(Day(`The first day. Without it, ${DEFAULT_DAYS} days up to the last one.`)),
  to: Type.Optional(Day("The last day. Without it, today.")),
};
const key = Type.Optional(Id("Only calls with this API key."));
const daysOf = ({ from, to }: { readonly from?: string; readonly to?: string }) => ({
  from: from ?? null,
  to: to ?? null,
});
const idOrNull = (id: string | undefined): number | null => (id === undefined ? null : readId(id));

const counts = {
  calls: Type.Integer({ description: "All calls, including the refused ones and the faults." }),
  refusals: Type.Integer(),
  faults: Type.Integer(),
};
const program = Type.String({
  description: `The product that the User-Agent names, such as \`PHP-SOAP 7.4\`. A key has at most ${MAX_PROGRAMS} a day; further ones are \`(other)\`.`,
});
const RANGE = `Days are days in UTC, at most ${MAX_DAYS} at once.`;
const KEPT = `Calls without a valid key are not counted. Calls are kept for ${CALLS_KEPT_DAYS} days. ${RANGE}`;
const tag = "Statistics";

export const statisticsRoutes = [
  route({
    method: "GET",
    path: "/accounts/{account}/statistics/subscribers",
    tag,
    summary: "Count per day who joined and left, and how many subscribers were active",
    description: `Every day of the range, the oldest first. ${RANGE}`,
    action: subscriberDays,
    query: Type.Object({
      list: Type.Optional(Id("Only members of this list. Without it, all subscribers of the account.")),
      ...days,
    }),
    args: ({ params, query }) => ({ ...params, list: idOrNull(query.list), ...daysOf(query) }),
    status: 200,
    reply: Type.Object({
      items: Type.Array(
        Type.Object({
          date: Day(),
          joined: Type.Integer(),
          left: Type.Integer(),
          active: Type.Integer({ description: "At the end of the day." }),
        }),
      ),
    }),
    answer: (items) => ({ items: [...items] }),
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/statistics/lists",
    tag,
    summary: "Count for each list who joined and left",
    description: RANGE,
    action: listTotals,
    query: Type.Object({ ...days, ...pageQuery }),
    args: ({ params, query }) => ({ ...params, ...daysOf(query), ...pageOf(query) }),
    status: 200,
    reply: Collection(
      Type.Object({
        id: Id(),
        name: Type.String(),
        joined: Type.Integer(),
        left: Type.Integer(),
        members: Type.Integer({ description: "How many active subscribers are on the list now." }),
      }),
    ),
    answer: (page) => collection(page, (list) => ({ ...list, id: String(list.id) })),
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/statistics/calls",
    tag,
    summary: "Count the calls per API key, day and client program",
    description: KEPT,
    action: callDays,
    query: Type.Object({ key, ...days, ...pageQuery }),
    args: ({ params, query }) => ({
      ...params,
      key: idOrNull(query.key),
      ...daysOf(query),
      ...pageOf(query),
    }),
    status: 200,
    reply: Collection(Type.Object({ key: Id(), date: Day(), program, ...counts })),
    answer: (page) => collection(page, (row) => ({ ...row, key: String(row.key) })),
  }),
  route({
    method: "GET",
    path: "/accounts/{account}/statistics/programs",
    tag,
    summary: "Count the calls per API key and client program over all days",
    description: `The programs with the most calls first, and observations about them. ${KEPT}`,
    action: programTotals,
    query: Type.Object({ key, ...days, limit: pageQuery.limit }),
    args: ({ params, query }) => ({
      ...params,
      key: idOrNull(query.key),
      ...daysOf(query),
      limit: pageOf(query).limit,
    }),
    status: 200,
    reply: Type.Object({
      programs: Type.Array(
        Type.Object({ key: Id(), program, ...counts, lastDate: Day("The last day with a call.") }),
      ),
      hasMore: Type.Boolean({ description: "There are more programs than `limit`." }),
      quirks: Type.Array(
        Type.Object({
          key: Id(),
          quirk: OneOf(quirkKinds),
          program: Type.String({ description: "The program that showed it last." }),
          seenAt: Time("When it was last seen, also outside of the range."),
        }),
      ),
    }),
    answer: ({ programs, hasMore, quirks }) => ({
      programs: programs.map((one) => ({ ...one, key: String(one.key) })),
      hasMore,
      quirks: quirks.map((one) => ({ ...one, key: String(one.key), seenAt: time(one.seenAt) })),
    }),
  }),
];
