/** `npm run bench`: measures Mailroll and its peers in one run, interleaved, and judges the results. */
import { quickTiming, usualTiming } from "./bench.ts";
import { Databases } from "./data/databases.ts";
import { PostgresDatabases } from "./data/postgres.ts";
import { missing } from "./installed.ts";
import { judge } from "./judge.ts";
import { type Options, readOptions, UsageError, usage } from "./options.ts";
import { describePlan, type Plan, planOf } from "./plan.ts";
import { stopWhenSignalled } from "./processes.ts";
import { describeMachine } from "./report/machine.ts";
import { inPlainText } from "./report/plain-text.ts";
import type { Report } from "./report/report.ts";
import { saveReport } from "./report/save.ts";
import type { Results } from "./results.ts";
import { run } from "./run.ts";
import { RunFolder } from "./run-folder.ts";
import { scenariosOf } from "./scenarios.ts";
import { targets } from "./targets.ts";

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

async function measure(options: Options): Promise<readonly [Plan, Results]> {
  const lacking = missing(["wrk", "curl"]);
  if (lacking.length > 0)
    throw new UsageError(
      `not installed: ${lacking.join(", ")}; on Debian, bench/setup.sh installs what the bench needs`,
    );
  const timing = options.isQuick ? quickTiming : usualTiming;
  const plan = planOf(scenariosOf(options, timing), options, missing);
  say(describePlan(plan, options));
  const folder = new RunFolder();
  const postgres = new PostgresDatabases(folder);
  try {
    const bench = { folder, postgres, timing, databases: await Databases.prepare(folder) };
    return [plan, await run(bench, plan.scenarios, say)];
  } finally {
    await postgres.close();
    folder.close();
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  const startedAt = new Date();
  const machine = await describeMachine();
  const [{ absent }, results] = await measure(options);
  const report: Report = {
    startedAt,
    minutes: (Date.now() - startedAt.getTime()) / 60_000,
    options,
    absent,
    machine,
    results,
    judged: targets.map((target) => judge(target, results)),
  };
  say(`\n${inPlainText(report)}`);
  if (options.only === null) say(`\nWritten: ${saveReport(report).join(", ")}`);
}

const signalled = stopWhenSignalled();
try {
  await main();
} catch (error) {
  const { message } = error as Error;
  const text = error instanceof UsageError ? `${message}\n\n${usage}` : message;
  process.stderr.write(`bench: ${signalled() ?? text}\n`);
  process.exitCode = 1;
}
