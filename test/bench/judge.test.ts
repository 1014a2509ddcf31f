/** Verdicts by the worst round, with ratios within each round. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { usualTiming } from "../../bench/bench.ts";
import { judge } from "../../bench/judge.ts";
import { sampleOf } from "../../bench/measure/sample.ts";
import { readOptions } from "../../bench/options.ts";
import { summaryOf } from "../../bench/report/report.ts";
import { judgedRow } from "../../bench/report/rows.ts";
import { Results } from "../../bench/results.ts";
import { scenariosOf } from "../../bench/scenarios.ts";
import { type Target, targets } from "../../bench/targets.ts";

function resultsOf(rounds: readonly (readonly [ours: number, theirs: number])[]): Results {
  const results = new Results();
  for (const [ours, theirs] of rounds) {
    results.add("add", "mailroll", sampleOf(ours));
    results.add("add", "gsoap", sampleOf(theirs));
  }
  return results;
}
const against = (is: Target["is"], must: number | null, aim: number | null): Target => ({
  title: "ours against theirs",
  unit: "×",
  is,
  must,
  aim,
  value: (round) => round("add", "mailroll").value / round("add", "gsoap").value,
});

describe("targets with a lower limit", () => {
  const results = resultsOf([
    [300, 100],
    [150, 100],
    [40, 20],
  ]);
  test("judges by the lowest ratio of a round, not by the ratio of the lowest values", () => {
    const judged = judge(against("at least", 1.5, 2), results);
    assert.deepEqual(judged.rounds, [3, 1.5, 2]);
    assert.equal(judged.worst, 1.5);
    assert.equal(judged.spread, 0.75);
    assert.equal(judged.must, "reached");
    assert.equal(judged.aim, "missed");
  });
  test("misses a target by the smallest difference", () => {
    assert.equal(judge(against("at least", 1.51, null), results).must, "missed");
  });
});

test("judges a target with an upper limit by the highest value", () => {
  const results = resultsOf([
    [50, 100],
    [90, 100],
    [20, 100],
  ]);
  const judged = judge(against("at most", 1, 0.5), results);
  assert.equal(judged.worst, 0.9);
  assert.equal(judged.must, "reached");
  assert.equal(judged.aim, "missed");
  assert.equal(judge(against("at most", 0.89, null), results).must, "missed");
});

test("gives no verdict where a round was not measured", () => {
  for (const results of [
    new Results(),
    resultsOf([
      [3, 1],
      [3, 1],
    ]),
  ]) {
    const judged = judge(against("at least", 1, null), results);
    assert.equal(judged.worst, null);
    assert.equal(judged.must, "not measured");
    assert.equal(judged.aim, null);
  }
});

test("shows value, spread, marks and verdicts in a row", () => {
  const results = resultsOf([
    [3, 1],
    [3, 1],
    [3, 1],
  ]);
  assert.deepEqual(judgedRow(judge(against("at least", 2, 4), results)), [
    "ours against theirs",
    "3.00 ×",
    "0 %",
    "≥ 2 ×",
    "reached",
    "≥ 4 ×",
    "missed",
  ]);
  assert.equal(judgedRow(judge(against("at most", 2, null), new Results()))[1], "–");
});

test("counts targets in the summary, and names the missed ones", () => {
  const judged = [against("at least", 2, 4), against("at least", 3.5, null)].map((target) =>
    judge(
      target,
      resultsOf([
        [3, 1],
        [3, 1],
        [3, 1],
      ]),
    ),
  );
  const open = judge(against("at least", 1, 1), new Results());
  assert.equal(
    summaryOf([...judged, open]),
    "1 of 2 required values reached, 0 of 1 goals, 1 not measured. Missed: ours against theirs.",
  );
});

describe("the declared targets", () => {
  test("measures each target in a large run, and has a mark for each", () => {
    const options = readOptions(["--large"]);
    const jobs = scenariosOf(options, usualTiming).flatMap(({ phases: acts }) => acts.flat());
    for (const target of targets) {
      const value = target.value((figure, subject) => {
        const isMeasured = jobs.some((job) => job.figure === figure && job.subject === subject);
        assert.ok(isMeasured, `${target.title}: ${figure} of ${subject}`);
        return sampleOf(1, { cpuMs: 1, firstByteMs: 1, overIdleMiB: 1 });
      });
      assert.ok(Number.isFinite(value), target.title);
      assert.ok(target.must !== null || target.aim !== null, target.title);
    }
  });
  test("has no aim that is easier than its must", () => {
    for (const { title, is, must, aim } of targets)
      if (must !== null && aim !== null) assert.ok(is === "at least" ? aim > must : aim < must, title);
  });
  test("compares the CPU of a long list on PostgreSQL with SQLite's, not its time", () => {
    const results = new Results();
    for (const [sqlite, postgres] of [
      [1000, 2000],
      [1000, 2800],
      [1000, 3100],
    ] as const) {
      results.add("longList", "mailroll", sampleOf(1, { cpuMs: sqlite }));
      results.add("longList", "mailrollPg", sampleOf(9, { cpuMs: postgres }));
    }
    const target = targets.find(({ title }) => title.includes("CPU on PostgreSQL"));
    assert.ok(target);
    assert.equal(judge(target, results).worst, 3.1);
    assert.equal(judge(target, results).must, "missed");
  });
  test("compares the latency while a list streams with that of an idle server", () => {
    const results = new Results();
    for (const [idle, streaming] of [
      [1, 5],
      [2, 13],
      [1, 2],
    ] as const) {
      results.add("idleLatency", "mailroll", sampleOf(idle));
      results.add("streamingLatency", "mailroll", sampleOf(streaming));
    }
    const target = targets.find(({ title }) => title.includes("streams"));
    assert.ok(target);
    assert.equal(judge(target, results).worst, 11);
    assert.equal(judge(target, results).must, "missed");
  });
});
