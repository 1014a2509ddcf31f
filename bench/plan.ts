/** What of the play is done here and now: by what was asked for, and by what is installed. */
import { figures } from "./figures.ts";
import type { Options } from "./options.ts";
import type { Job, Scene } from "./scenes.ts";
import { type SubjectId, subjects } from "./subjects.ts";

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
  missing: (programs: readonly string[]) => readonly string[],
): Plan {
  const isAsked = ({ figure }: Job): boolean => only === null || only.has(figures[figure].group);
  const isThere = ({ subject }: Job): boolean => missing(subjects[subject].needs).length === 0;
  const keep = (scene: Scene, test: (job: Job) => boolean): Scene => ({
    ...scene,
    acts: scene.acts.map((jobs) => jobs.filter(test)),
  });
  const asked = scenes.map((scene) => keep(scene, isAsked));
  const possible = asked.map((scene) => keep(scene, isThere)).filter((scene) => jobsIn(scene).length > 0);
  const ids = new Set<SubjectId>(
    asked
      .flatMap(jobsIn)
      .filter((job) => !isThere(job))
      .map(({ subject }) => subject),
  );
  const seconds = possible.reduce((sum, scene) => sum + secondsOf(scene), 0);
  return {
    scenes: possible,
    absent: [...ids].map((id) => ({ label: subjects[id].label, missing: missing(subjects[id].needs) })),
    expectedMinutes: seconds / 60,
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
      ? ["Left out by --quick: lists of 1,000,000 rows and of more than 100,000 members, two workers."]
      : []),
    ...(isLarge || isQuick ? [] : ["Left out without --large: 5,000,000 members."]),
  ].join("\n");
}
