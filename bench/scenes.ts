/** The whole play: which servers are measured together, on which data, in which figures. */
import type { Timing } from "./bench.ts";
import { type Dataset, empty, withBounces } from "./data/dataset.ts";
import { type FigureId, figures } from "./figures.ts";
import { type Calls, measureCalls } from "./measure/calls.ts";
import { MIDDLE, MILLION, measureLongList, measureMiddleList } from "./measure/lists.ts";
import type { Sample } from "./measure/sample.ts";
import { messages } from "./messages.ts";
import type { Options } from "./options.ts";
import type { Stage } from "./stage.ts";
import type { SubjectId } from "./subjects.ts";

export interface Job {
  readonly figure: FigureId;
  readonly subject: SubjectId;
  /** How long its three rounds will take. */
  readonly expectedSeconds: number;
  run(stage: Stage, round: number): Promise<Sample>;
}

export interface Scene {
  readonly name: string;
  readonly data: Dataset;
  readonly isDiskSlow: boolean;
  readonly jobs: readonly Job[];
}

const OVERHEAD = 0.3;
const loadSeconds = ({ measure, firstWarmUp, laterWarmUp }: Timing): number =>
  firstWarmUp + 2 * laterWarmUp + 3 * (measure + OVERHEAD);

export function scenesOf(options: Options, timing: Timing): readonly Scene[] {
  const { isQuick } = options;
  const calls = (figure: FigureId, who: readonly SubjectId[], what: Calls): readonly Job[] =>
    who.map((subject) => ({
      figure,
      subject,
      expectedSeconds: loadSeconds(timing),
      run: async (stage, round) => measureCalls(stage.bench, await stage.server(subject), round, what),
    }));
  const middleLists = (who: readonly SubjectId[]): readonly Job[] =>
    who.map((subject) => ({
      figure: "middleList",
      subject,
      expectedSeconds: loadSeconds(timing),
      run: async (stage, round) => measureMiddleList(stage.bench, await stage.server(subject), round),
    }));
  const longLists = (who: Partial<Record<SubjectId, number>>): readonly Job[] =>
    (Object.keys(who) as SubjectId[]).map((subject) => ({
      figure: "longList",
      subject,
      expectedSeconds: 3 * (who[subject] ?? 0),
      run: async (stage) => measureLongList(stage.bench, await stage.server(subject)),
    }));

  const all: readonly Scene[] = [
    {
      name: "calls",
      data: empty,
      isDiskSlow: false,
      jobs: [
        ...calls("probe", ["mailroll", "gsoap", "nodeSoap", "php", "bare"], { message: messages.probe }),
        ...calls("add", ["mailroll", "gsoap", "nodeSoap", "php"], {
          message: messages.add(),
          isAdding: true,
        }),
      ],
    },
    {
      name: "slow disk",
      data: empty,
      isDiskSlow: true,
      jobs: calls("slowAdd", ["mailroll", "gsoap", "nodeSoap"], { message: messages.add(), isAdding: true }),
    },
    {
      name: "lists",
      data: isQuick ? withBounces(MIDDLE) : withBounces(MIDDLE, MILLION),
      isDiskSlow: false,
      jobs: [
        ...middleLists(["mailroll", "gsoap", "nodeSoap", "php"]),
        ...(isQuick ? [] : longLists({ mailroll: 2, gsoap: 3, nodeSoap: 20 })),
      ],
    },
  ];
  const { only } = options;
  const isAsked = ({ figure }: Job): boolean => only === null || only.has(figures[figure].group);
  return all
    .map((scene) => ({ ...scene, jobs: scene.jobs.filter(isAsked) }))
    .filter(({ jobs }) => jobs.length > 0);
}
