/** Plays the scenes of a plan, round by round, so that noise on the machine meets all servers alike. */
import { setTimeout as delay } from "node:timers/promises";
import { type Bench, ROUNDS } from "./bench.ts";
import { slowFlush } from "./build.ts";
import { figures } from "./figures.ts";
import { runToEnd } from "./processes.ts";
import { amount } from "./report/numbers.ts";
import { Results } from "./results.ts";
import type { Job, Scene } from "./scenes.ts";
import { Stage } from "./stage.ts";
import { type SubjectId, subjects } from "./subjects.ts";

type Say = (line: string) => void;

export async function run(bench: Bench, scenes: readonly Scene[], say: Say): Promise<Results> {
  const results = new Results();
  for (const scene of scenes) {
    say(`\n${scene.name}`);
    const env: Readonly<Record<string, string>> = scene.isDiskSlow ? { LD_PRELOAD: await slowFlush() } : {};
    const stage = new Stage(bench, { data: scene.data, env });
    try {
      await prepare(scene.acts.flat(), stage);
      for (const act of scene.acts) await play(act, stage, results, say);
    } finally {
      await stage.close();
    }
  }
  return results;
}

/** Starts all servers, and waits until what was filled is on the disk: no server is to pay for the data of the next. */
async function prepare(jobs: readonly Job[], stage: Stage): Promise<void> {
  const servers = new Set(jobs.filter(({ isServer }) => isServer).map(({ subject }) => subject));
  for (const subject of servers)
    await told(stage, subject, "before its first call", () => stage.server(subject));
  await runToEnd("sync", []);
}

async function play(jobs: readonly Job[], stage: Stage, results: Results, say: Say): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { figure, subject, run: measure } of jobs) {
      const { title, short, unit } = figures[figure];
      const sample = await told(stage, subject, title, () => measure(stage, round));
      results.add(figure, subject, sample);
      const { label } = subjects[subject];
      say(`  ${round + 1}/${ROUNDS}  ${short}  ${label}  ${amount(sample.value)} ${unit}`);
    }
}

/** Does it; where that fails, says of whom and of what, and with which words a server ended that has ended. */
async function told<T>(stage: Stage, subject: SubjectId, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // A caller hears that a server is gone before its parent does.
    await delay(200);
    const words = stage.lastWords(subject);
    const end = words === null ? "" : `; it ended: ${words}`;
    throw new Error(`${subjects[subject].label}, ${what}: ${(error as Error).message}${end}`, {
      cause: error,
    });
  }
}
