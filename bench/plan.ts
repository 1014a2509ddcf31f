/** What of the play is done here and now: by what was asked for, and by what is installed. */
import { figures } from "./figures.ts";
import type { Package } from "./installed.ts";
import type { Options } from "./options.ts";
import type { Job, Scene } from "./scenes.ts";
import { subjects } from "./subjects.ts";

export interface Absent {
  readonly label: string;
  readonly missing: readonly string[];
}

export interface Plan {
  readonly scenes: readonly Scene[];
  readonly absent: readonly Absent[];
  readonly expectedMinutes: number;
}

const jobsIn = ({ acts }: Scene): readonly Job[] => acts.flat();

function secondsOf(scene: Scene): number {
  const jobs = jobsIn(scene);
  const servers = new Set(jobs.map(({ subject }) => subject)).size;
  const work = jobs.reduce((sum, { expectedSeconds }) => sum + expectedSeconds, 0);
  return scene.expectedSeconds + servers * scene.secondsPerServer + work;
}

export function planOf(
  scenes: readonly Scene[],
  { only }: Options,
  missing: (packages: readonly Package[]) => readonly Package[],
): Plan {
  const keep = (scene: Scene, test: (job: Job) => boolean): Scene => ({
    ...scene,
    acts: scene.acts.map((jobs) => jobs.filter(test)),
  });
  const isThere = ({ subject }: Job): boolean => missing(subjects[subject].needs).length === 0;
  const selected = scenes
    .map((scene) => keep(scene, ({ figure }) => only === null || only.has(figures[figure].group)))
    .filter((scene) => jobsIn(scene).length > 0);
  const possible = selected
    .filter(({ needs }) => missing(needs).length === 0)
    .map((scene) => keep(scene, isThere))
    .filter((scene) => jobsIn(scene).length > 0);
  const taking = new Set(selected.flatMap(jobsIn).map(({ subject }) => subject));
  const absent = [
    ...selected.map(({ name, needs }) => ({ label: name, missing: missing(needs) })),
    ...[...taking].map((id) => ({ label: subjects[id].label, missing: missing(subjects[id].needs) })),
  ];
  return {
    scenes: possible,
    absent: absent.filter((one) => one.missing.length > 0),
    expectedMinutes: possible.reduce((sum, scene) => sum + secondsOf(scene), 0) / 60,
  };
}

export function describePlan(
  { scenes, absent, expectedMinutes }: Plan,
  { isQuick, isLarge }: Options,
): string {
  const lines = scenes.map((scene) => {
    const count = jobsIn(scene).length;
    return `  ${scene.name}: ${count} ${count === 1 ? "measurement" : "measurements"} a round`;
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
