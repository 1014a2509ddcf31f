/** Plays the scenes of a plan, round by round, so that noise on the machine meets all servers alike. */
import { setTimeout as delay } from "node:timers/promises";
import { type Bench, ROUNDS } from "./bench.ts";
import { slowFlush } from "./build.ts";
import { figures } from "./figures.ts";
import { amount } from "./report/numbers.ts";
import { Results } from "./results.ts";
import type { Job, Scene } from "./scenes.ts";
import { Stage } from "./stage.ts";
import { subjects } from "./subjects.ts";

type Say = (line: string) => void;

export async function run(bench: Bench, scenes: readonly Scene[], say: Say): Promise<Results> {
  const results = new Results();
  for (const scene of scenes) {
    say(`\n${scene.name}`);
    const env: Readonly<Record<string, string>> = scene.isDiskSlow ? { LD_PRELOAD: await slowFlush() } : {};
    const stage = new Stage(bench, { data: scene.data, env });
    try {
      for (const act of scene.acts) await play(act, stage, results, say);
    } finally {
      await stage.close();
    }
  }
  return results;
}

async function play(jobs: readonly Job[], stage: Stage, results: Results, say: Say): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1)
    for (const job of jobs) {
      const { title, short, unit } = figures[job.figure];
      const { label } = subjects[job.subject];
      try {
        const sample = await job.run(stage, round);
        results.add(job.figure, job.subject, sample);
        say(`  ${round + 1}/${ROUNDS}  ${short}  ${label}  ${amount(sample.value)} ${unit}`);
      } catch (error) {
        // A caller hears that a server is gone before its parent does.
        await delay(200);
        const words = stage.lastWords(job.subject);
        const end = words === null ? "" : `; it ended: ${words}`;
        throw new Error(`${title}, ${label}: ${(error as Error).message}${end}`, { cause: error });
      }
    }
}
