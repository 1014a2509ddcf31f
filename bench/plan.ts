/** Selects the scenarios to run, by options and by installed programs. */
import { figures } from "./figures.ts";
import type { Package } from "./installed.ts";
import type { Options } from "./options.ts";
import type { Job, Scenario } from "./scenarios.ts";
import { subjects } from "./subjects.ts";

export interface Absent {
  readonly label: string;
  readonly missing: readonly string[];
}

export interface Plan {
  readonly scenarios: readonly Scenario[];
  readonly absent: readonly Absent[];
  readonly expectedMinutes: number;
}

const jobsIn = ({ phases: acts }: Scenario): readonly Job[] => acts.flat();

function secondsOf(scenario: Scenario): number {
  const jobs = jobsIn(scenario);
  const servers = new Set(jobs.map(({ subject }) => subject)).size;
  const work = jobs.reduce((sum, { expectedSeconds }) => sum + expectedSeconds, 0);
  return scenario.expectedSeconds + servers * scenario.secondsPerServer + work;
}

export function planOf(
  scenarios: readonly Scenario[],
  { only }: Options,
  missing: (packages: readonly Package[]) => readonly Package[],
): Plan {
  const keep = (scenario: Scenario, test: (job: Job) => boolean): Scenario => ({
    ...scenario,
    phases: scenario.phases.map((jobs) => jobs.filter(test)),
  });
  const isThere = ({ subject }: Job): boolean => missing(subjects[subject].needs).length === 0;
  const selected = scenarios
    .map((scenario) => keep(scenario, ({ figure }) => only === null || only.has(figures[figure].group)))
    .filter((scenario) => jobsIn(scenario).length > 0);
  const possible = selected
    .filter(({ needs }) => missing(needs).length === 0)
    .map((scenario) => keep(scenario, isThere))
    .filter((scenario) => jobsIn(scenario).length > 0);
  const taking = new Set(selected.flatMap(jobsIn).map(({ subject }) => subject));
  const absent = [
    ...selected.map(({ name, needs }) => ({ label: name, missing: missing(needs) })),
    ...[...taking].map((id) => ({ label: subjects[id].label, missing: missing(subjects[id].needs) })),
  ];
  return {
    scenarios: possible,
    absent: absent.filter((one) => one.missing.length > 0),
    expectedMinutes: possible.reduce((sum, scenario) => sum + secondsOf(scenario), 0) / 60,
  };
}

export function describePlan(
  { scenarios, absent, expectedMinutes }: Plan,
  { isQuick, isLarge }: Options,
): string {
  const lines = scenarios.map((scenario) => {
    const count = jobsIn(scenario).length;
    return `  ${scenario.name}: ${count} ${count === 1 ? "measurement" : "measurements"} a round`;
  });
  return [
    `The plan, about ${expectedMinutes.toFixed(1)} minutes, three rounds of:`,
    ...lines,
    ...absent.map(
      ({ label, missing }) => `Left out: ${label}; not installed: ${missing.join(", ")}. See bench/setup.sh.`,
    ),
    ...(isQuick
      ? [
          "Left out by --quick: lists of 1,000,000 rows and of more than 100,000 members, Client.GetSubscribersLists, two workers, a slower peer here and there.",
        ]
      : []),
    ...(isLarge || isQuick ? [] : ["Left out without --large: 5,000,000 members."]),
  ].join("\n");
}
