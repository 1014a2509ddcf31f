/** `npm run bench`: measures Mailroll and its peers in one run, interleaved, and judges what it found. */
import { type Bench, quickTiming, ROUNDS, usualTiming } from "./bench.ts";
import { slowFlush } from "./build.ts";
import { Databases } from "./data/databases.ts";
import { figures } from "./figures.ts";
import { judge } from "./judge.ts";
import { readOptions, UsageError, usage } from "./options.ts";
import { amount } from "./report/numbers.ts";
import { judgedHead, judgedRow, measuredHead, measuredRows } from "./report/rows.ts";
import { table } from "./report/table.ts";
import { Results } from "./results.ts";
import { type Scene, scenesOf } from "./scenes.ts";
import { Stage } from "./stage.ts";
import { isInstalled, type SubjectId, subjects } from "./subjects.ts";
import { targets } from "./targets.ts";
import { Workplace } from "./workplace.ts";

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

async function play(bench: Bench, scene: Scene, results: Results): Promise<void> {
  const env: Readonly<Record<string, string>> = scene.isDiskSlow ? { LD_PRELOAD: await slowFlush() } : {};
  const stage = new Stage(bench, { data: scene.data, env });
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      for (const job of scene.jobs) {
        const sample = await job.run(stage, round);
        results.add(job.figure, job.subject, sample);
        const { title, unit } = figures[job.figure];
        say(`  round ${round + 1}  ${title}: ${subjects[job.subject].label} ${amount(sample.value)} ${unit}`);
      }
  } finally {
    await stage.close();
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const needs = (subject: SubjectId): readonly string[] => subjects[subject].needs ?? [];
  for (const program of ["wrk", "curl"])
    if (!isInstalled(program))
      throw new UsageError(`${program} is not installed; bench/setup.sh installs it on Debian`);
  const absent = (Object.keys(subjects) as SubjectId[]).filter((id) => !needs(id).every(isInstalled));
  for (const id of absent)
    say(
      `left out: ${subjects[id].label}, for want of ${needs(id)
        .filter((one) => !isInstalled(one))
        .join(", ")} (bench/setup.sh)`,
    );
  const timing = options.isQuick ? quickTiming : usualTiming;
  const scenes = scenesOf(options, timing).map((scene) => ({
    ...scene,
    jobs: scene.jobs.filter(({ subject }) => !absent.includes(subject)),
  }));
  const seconds = scenes
    .flatMap(({ jobs }) => jobs)
    .reduce((sum, { expectedSeconds }) => sum + expectedSeconds, 0);
  say(`about ${(seconds / 60).toFixed(1)} minutes`);
  const place = new Workplace();
  try {
    const bench: Bench = { place, databases: await Databases.prepare(place), timing };
    const results = new Results();
    for (const scene of scenes) {
      say(`\n${scene.name}`);
      await play(bench, scene, results);
    }
    for (const figure of results.figures)
      say(`\n${figures[figure].title}\n${table(measuredHead(figure), measuredRows(results, figure))}`);
    say(
      `\n${table(
        judgedHead,
        targets.map((target) => judgedRow(judge(target, results))),
      )}`,
    );
  } finally {
    place.close();
  }
}

try {
  await main();
} catch (error) {
  const { message, stack } = error as Error;
  process.stderr.write(
    `bench: ${error instanceof UsageError ? `${message}\n\n${usage}` : process.env.BENCH_DEBUG ? stack : message}\n`,
  );
  process.exitCode = 1;
}
