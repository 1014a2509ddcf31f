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
  value(round: Round): number;
}

const speed =
  (figure: FigureId, subject: SubjectId, over: SubjectId, overFigure = figure) =>
  (round: Round): number =>
    round(figure, subject).value / round(overFigure, over).value;

const atLeast = (
  title: string,
  must: number | null,
  aim: number | null,
  value: (round: Round) => number,
): Target => ({ title, unit: "×", is: "at least", must, aim, value });

export const targets: readonly Target[] = [
  atLeast("TestApiConnection against node-soap", 2, null, speed("probe", "mailroll", "nodeSoap")),
  atLeast("TestApiConnection against bare node:http", 0.55, 0.75, speed("probe", "mailroll", "bare")),
  atLeast("durable Add against node-soap", 3, null, speed("add", "mailroll", "nodeSoap")),
  atLeast("durable Add against gSOAP", 1.4, 2, speed("add", "mailroll", "gsoap")),
  atLeast(
    "durable Add against our TestApiConnection",
    0.85,
    null,
    speed("add", "mailroll", "mailroll", "probe"),
  ),
  atLeast(
    "durable Add against gSOAP, each flush 2 ms slower",
    13,
    null,
    speed("slowAdd", "mailroll", "gsoap"),
  ),
  atLeast("list of 10,000 against gSOAP", 1, 1.4, speed("middleList", "mailroll", "gsoap")),
  atLeast("list of 10,000 against node-soap", 8, null, speed("middleList", "mailroll", "nodeSoap")),
];
