/** Scenarios: which servers are measured together, on which data, in which figures, and how long it takes. */
import type { Timing } from "./bench.ts";
import { type Dataset, empty, withBounces } from "./data/dataset.ts";
import type { FigureId } from "./figures.ts";
import type { Package } from "./installed.ts";
import { measurePostgresAdds, measureSqliteAdds } from "./measure/adds-floor.ts";
import { type Calls, measureCalls } from "./measure/calls.ts";
import { measureCustoms } from "./measure/customs.ts";
import { measureIdle, measureWhileAdding, measureWhileStreaming } from "./measure/latency.ts";
import { MIDDLE, MILLION, measureLongList, measureMiddleList } from "./measure/lists.ts";
import type { Sample } from "./measure/sample.ts";
import { messages } from "./messages.ts";
import type { Options } from "./options.ts";
import type { ScenarioServers } from "./scenario-servers.ts";
import type { Size, SubjectId } from "./subjects.ts";

export interface Job {
  readonly figure: FigureId;
  readonly subject: SubjectId;
  /** Whether the subject is a server, to be started before the first round. */
  readonly isServer: boolean;
  /** How long its three rounds will take. */
  readonly expectedSeconds: number;
  readonly run: (servers: ScenarioServers, round: number) => Promise<Sample>;
}

export interface Scenario {
  readonly name: string;
  readonly data: Dataset;
  readonly isDiskSlow: boolean;
  /** Without these it is left out. */
  readonly needs: readonly Package[];
  /** How long it takes to fill its databases, */
  readonly expectedSeconds: number;
  /** and to start a server and warm it up for the first time. */
  readonly secondsPerServer: number;
  /** One after the other; within each, all jobs take turns, round by round. */
  readonly phases: readonly (readonly Job[])[];
}

type Measure = (
  bench: ScenarioServers["bench"],
  server: Awaited<ReturnType<ScenarioServers["server"]>>,
  round: number,
) => Promise<Sample>;

/** Between one run of a load generator and the next. */
const OVERHEAD = 0.3;
const START = 1;
const ADD: Calls = { message: messages.add(), isAdding: true };

export function scenariosOf({ isQuick, isLarge }: Options, timing: Timing): readonly Scenario[] {
  const { measure, freshWarmUp, firstWarmUp, laterWarmUp } = timing;
  const secondsPerServer = START + freshWarmUp - firstWarmUp;
  const loaded = firstWarmUp + 2 * laterWarmUp + 3 * (measure + OVERHEAD);
  const each = (
    figure: FigureId,
    who: readonly SubjectId[],
    run: Measure,
    expectedSeconds = loaded,
  ): readonly Job[] =>
    who.map((subject) => ({
      figure,
      subject,
      isServer: true,
      expectedSeconds,
      run: async (servers, round) => run(servers.bench, await servers.server(subject), round),
    }));
  const calling =
    (calls: Calls): Measure =>
    (bench, server, round) =>
      measureCalls(bench, server, round, calls);
  const floor = (subject: SubjectId, run: (bench: ScenarioServers["bench"]) => Promise<Sample>): Job => ({
    figure: "add",
    subject,
    isServer: false,
    expectedSeconds: 3 * (measure + OVERHEAD),
    run: ({ bench }) => run(bench),
  });
  /** What is worth its time only in a longer run. */
  const unhurried = <T>(...items: readonly T[]): readonly T[] => (isQuick ? [] : items);

  const members: readonly Size[] = isQuick
    ? [10, 100_000]
    : [10, 10_000, 100_000, 1_000_000, ...(isLarge ? ([5_000_000] as const) : [])];
  const pgMembers: readonly Size[] = isQuick
    ? []
    : [10, 1_000_000, ...(isLarge ? ([5_000_000] as const) : [])];
  const grown: readonly SubjectId[] = [
    ...members.map((size) => `members${size}` as const),
    ...pgMembers.map((size) => `pgMembers${size}` as const),
  ];

  const scenarios: readonly Scenario[] = [
    {
      name: "calls on an empty database",
      data: empty,
      isDiskSlow: false,
      needs: [],
      expectedSeconds: 3,
      secondsPerServer,
      phases: [
        [
          ...each(
            "probe",
            ["mailroll", ...unhurried("mailrollPg2" as const), "gsoap", "nodeSoap", "php", "bare"],
            calling({ message: messages.probe }),
          ),
          ...each("wsdl", ["mailroll", "bareWsdl"], calling({ query: "?wsdl" })),
          ...each(
            "add",
            ["mailroll", "mailrollPg", ...unhurried("mailrollPg2" as const), "gsoap", "nodeSoap", "php"],
            calling(ADD),
          ),
          floor("sqliteAdds", measureSqliteAdds),
          floor("postgresAdds", measurePostgresAdds),
          ...each("customs", ["mailroll", ...unhurried("mailrollPg" as const)], measureCustoms),
          ...each(
            "addingLatency",
            ["mailroll", ...unhurried("mailrollPg" as const)],
            measureWhileAdding,
            loaded + 3,
          ),
        ],
      ],
    },
    {
      name: "each flush 2 ms slower",
      data: empty,
      isDiskSlow: true,
      needs: ["gcc"],
      expectedSeconds: 0,
      secondsPerServer,
      phases: [each("slowAdd", ["mailroll", "gsoap", ...unhurried("nodeSoap" as const)], calling(ADD))],
    },
    {
      name: "long lists",
      data: isQuick ? withBounces(MIDDLE) : withBounces(MIDDLE, MILLION),
      isDiskSlow: false,
      needs: [],
      expectedSeconds: isQuick ? 3 : 65,
      secondsPerServer,
      phases: [
        [
          ...each(
            "middleList",
            ["mailroll", "mailrollPg", "gsoap", "nodeSoap", ...unhurried("php" as const)],
            measureMiddleList,
          ),
          ...unhurried(
            ...each("longList", ["mailroll", "gsoap"], measureLongList, 3 * 3),
            ...each("longList", ["mailrollPg"], measureLongList, 3 * 5),
            ...each("longList", ["nodeSoap"], measureLongList, 3 * 22),
            ...each("longList", ["php"], measureLongList, 3 * 10),
            ...each("idleLatency", ["mailroll", "mailrollPg"], measureIdle),
            ...each("streamingLatency", ["mailroll", "mailrollPg"], measureWhileStreaming, 3 * (measure + 2)),
          ),
        ],
      ],
    },
    {
      name: "lists of growing size",
      data: empty,
      isDiskSlow: false,
      needs: [],
      expectedSeconds: isQuick ? 4 : isLarge ? 300 : 60,
      secondsPerServer,
      // Adds come last: they make the smallest list larger.
      phases: [
        unhurried(...each("growthLists", grown, calling({ message: messages.lists }))),
        each("growthAdd", grown, calling(ADD)),
      ],
    },
  ];
  return scenarios;
}
