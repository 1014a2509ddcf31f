/** The figures that Mailroll must reach, and those it aims at; each is judged on the worst of the rounds. */
import type { FigureId } from "./figures.ts";
import type { Sample } from "./measure/sample.ts";
import type { SubjectId } from "./subjects.ts";

/** The sample of the round that is judged; throws `NotMeasured` where there is none. */
export type Round = (figure: FigureId, subject: SubjectId) => Sample;
export class NotMeasured extends Error {}

export interface Target {
  readonly title: string;
  readonly unit: "×" | "ms" | "MiB";
  readonly is: "at least" | "at most";
  readonly must: number | null;
  readonly aim: number | null;
  readonly value: (round: Round) => number;
}

type Marks = readonly [must: number | null, aim: number | null];

const atLeast = (title: string, [must, aim]: Marks, value: Target["value"]): Target => ({
  title,
  unit: "×",
  is: "at least",
  must,
  aim,
  value,
});
const atMost = (title: string, unit: Target["unit"], [must, aim]: Marks, value: Target["value"]): Target => ({
  title,
  unit,
  is: "at most",
  must,
  aim,
  value,
});

/** One over the other, in the same figure or in two. */
const ratio =
  (figure: FigureId, subject: SubjectId, over: SubjectId, overFigure = figure): Target["value"] =>
  (round) =>
    round(figure, subject).value / round(overFigure, over).value;

/** A value that the measurement may have left open. */
function measured(value: number | null): number {
  if (value === null) throw new NotMeasured();
  return value;
}

const lists: readonly (readonly [FigureId, string])[] = [
  ["middleList", "list of 10,000"],
  ["longList", "list of 1,000,000"],
];
const stores: readonly (readonly [SubjectId, string])[] = [
  ["mailroll", "SQLite"],
  ["mailrollPg", "PostgreSQL"],
];
const firstByte = lists.flatMap(([figure, list]) =>
  stores.map(([subject, store]) =>
    atMost(`${list}, ${store}: time to the first byte`, "ms", [50, null], (round) =>
      measured(round(figure, subject).firstByteMs),
    ),
  ),
);
export const targets: readonly Target[] = [
  atLeast("TestApiConnection against node-soap", [2, null], ratio("probe", "mailroll", "nodeSoap")),
  atLeast("TestApiConnection against bare node:http", [0.55, 0.75], ratio("probe", "mailroll", "bare")),
  atLeast("TestApiConnection, two workers, against gSOAP", [null, 1], ratio("probe", "mailrollPg2", "gsoap")),
  atLeast("durable Add against node-soap", [3, null], ratio("add", "mailroll", "nodeSoap")),
  atLeast("durable Add against gSOAP", [1.4, 2], ratio("add", "mailroll", "gsoap")),
  atLeast(
    "durable Add against our TestApiConnection",
    [0.85, null],
    ratio("add", "mailroll", "mailroll", "probe"),
  ),
  atLeast(
    "durable Add against gSOAP, each flush 2 ms slower",
    [13, null],
    ratio("slowAdd", "mailroll", "gsoap"),
  ),
  atLeast("durable Add on PostgreSQL against SQLite", [0.6, 0.9], ratio("add", "mailrollPg", "mailroll")),
  atLeast(
    "AddwithBasicandCustoms, 5 fields, against our Add",
    [0.6, 0.75],
    ratio("customs", "mailroll", "mailroll", "add"),
  ),
  atLeast("list of 10,000 against gSOAP", [1, 1.4], ratio("middleList", "mailroll", "gsoap")),
  atLeast("list of 10,000 against node-soap", [8, null], ratio("middleList", "mailroll", "nodeSoap")),
  atMost("list of 1,000,000: time against gSOAP's", "×", [1, 0.5], ratio("longList", "mailroll", "gsoap")),
  atMost("list of 1,000,000: peak memory over idle", "MiB", [90, null], (round) =>
    measured(round("longList", "mailroll").overIdleMiB),
  ),
  atMost(
    "list of 1,000,000: CPU on PostgreSQL, with the database's, against SQLite",
    "×",
    [3, null],
    (round) =>
      measured(round("longList", "mailrollPg").cpuMs) / measured(round("longList", "mailroll").cpuMs),
  ),
  ...firstByte,
  atMost(
    "TestApiConnection, 99th percentile over idle while a list of 1,000,000 streams",
    "ms",
    [10, null],
    (round) => round("streamingLatency", "mailroll").value - round("idleLatency", "mailroll").value,
  ),
  atMost(
    "TestApiConnection on PostgreSQL, 99th percentile while a list of 1,000,000 streams",
    "ms",
    [5, null],
    (round) => round("streamingLatency", "mailrollPg").value,
  ),
  atMost(
    "TestApiConnection, 99th percentile while 64 connections add",
    "ms",
    [20, null],
    (round) => round("addingLatency", "mailroll").value,
  ),
  atLeast(
    "WSDL against bare node:http with the same bytes",
    [0.9, null],
    ratio("wsdl", "mailroll", "bareWsdl"),
  ),
  atLeast(
    "Add into a list of 5,000,000 against one of 10",
    [0.7, 0.9],
    ratio("growthAdd", "members5000000", "members10"),
  ),
  atLeast(
    "GetSubscribersLists with a list of 5,000,000 against one of 10",
    [0.9, null],
    ratio("growthLists", "members5000000", "members10"),
  ),
];
