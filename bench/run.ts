/** Runs the scenarios of a plan, round by round, so that noise on the machine affects all servers alike. */
import { setTimeout as delay } from "node:timers/promises";
import { type Bench, ROUNDS } from "./bench.ts";
import { slowFlush } from "./build.ts";
import { figures } from "./figures.ts";
import { runToEnd } from "./processes.ts";
import { amount } from "./report/numbers.ts";
import { Results } from "./results.ts";
import { ScenarioServers } from "./scenario-servers.ts";
import type { Job, Scenario } from "./scenarios.ts";
import { type SubjectId, subjects } from "./subjects.ts";

type Say = (line: string) => void;

export async function run(bench: Bench, scenarios: readonly Scenario[], say: Say): Promise<Results> {
  const results = new Results();
  for (const scenario of scenarios) {
    say(`\n${scenario.name}`);
    const env: Readonly<Record<string, string>> = scenario.isDiskSlow
      ? { LD_PRELOAD: await slowFlush() }
      : {};
    const servers = new ScenarioServers(bench, { data: scenario.data, env });
    try {
      await prepare(scenario.phases.flat(), servers);
      for (const phase of scenario.phases) await runPhase(phase, servers, results, say);
    } finally {
      await servers.close();
    }
  }
  return results;
}

/**
 * Starts all servers, and waits until what was filled is on the disk: no server is to pay for the data of the
 * next.
 */
async function prepare(jobs: readonly Job[], servers: ScenarioServers): Promise<void> {
  const subjects = new Set(jobs.filter(({ isServer }) => isServer).map(({ subject }) => subject));
  for (const subject of subjects)
    await withContext(servers, subject, "before its first call", () => servers.server(subject));
  await runToEnd("sync", []);
}

async function runPhase(
  jobs: readonly Job[],
  servers: ScenarioServers,
  results: Results,
  say: Say,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { figure, subject, run: measure } of jobs) {
      const { title, short, unit } = figures[figure];
      const sample = await withContext(servers, subject, title, () => measure(servers, round));
      results.add(figure, subject, sample);
      const { label } = subjects[subject];
      say(`  ${round + 1}/${ROUNDS}  ${short}  ${label}  ${amount(sample.value)} ${unit}`);
    }
}

/**
 * Does it; where that fails, says of whom and of what, and with which words a server ended that has ended.
 */
async function withContext<T>(
  servers: ScenarioServers,
  subject: SubjectId,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // A caller hears that a server is gone before its parent does.
    await delay(200);
    const words = servers.exitOutput(subject);
    const end = words === null ? "" : `; it ended: ${words}`;
    throw new Error(`${subjects[subject].label}, ${what}: ${(error as Error).message}${end}`, {
      cause: error,
    });
  }
}
