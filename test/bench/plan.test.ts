/** The plan, by options and installed programs, and its duration. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { quickTiming, usualTiming } from "../../bench/bench.ts";
import type { FigureId } from "../../bench/figures.ts";
import type { Package } from "../../bench/installed.ts";
import { groups, readOptions, UsageError } from "../../bench/options.ts";
import { describePlan, type Plan, planOf } from "../../bench/plan.ts";
import { scenariosOf } from "../../bench/scenarios.ts";
import type { SubjectId } from "../../bench/subjects.ts";

function plan(args: readonly string[], lacking: readonly Package[] = []): Plan {
  const options = readOptions(args);
  const scenarios = scenariosOf(options, options.isQuick ? quickTiming : usualTiming);
  return planOf(scenarios, options, (packages) => packages.filter((name) => lacking.includes(name)));
}
const jobsIn = ({ scenarios }: Plan) => scenarios.flatMap(({ phases }) => phases.flat());
const figuresIn = (made: Plan): ReadonlySet<FigureId> => new Set(jobsIn(made).map(({ figure }) => figure));
const subjectsIn = (made: Plan): ReadonlySet<SubjectId> =>
  new Set(jobsIn(made).map(({ subject }) => subject));

describe("the plan", () => {
  test("fits into 20 minutes, and a quick run into 3", () => {
    assert.ok(plan([]).expectedMinutes < 20, `${plan([]).expectedMinutes}`);
    assert.ok(plan(["--quick"]).expectedMinutes < 3, `${plan(["--quick"]).expectedMinutes}`);
    assert.ok(plan(["--quick"]).expectedMinutes > 1);
  });
  test("includes five million members only on request", () => {
    assert.ok(!subjectsIn(plan([])).has("members5000000"));
    assert.ok(subjectsIn(plan(["--large"])).has("members5000000"));
    assert.ok(subjectsIn(plan([])).has("members1000000"));
    assert.match(describePlan(plan([]), readOptions([])), /Left out without --large: 5,000,000/);
  });
  test("reports what a quick run leaves out", () => {
    const quick = plan(["--quick"]);
    assert.ok(!figuresIn(quick).has("longList"));
    assert.match(
      describePlan(quick, readOptions(["--quick"])),
      /Left out by --quick: lists of 1,000,000 rows/,
    );
  });
  test("contains only the selected groups", () => {
    assert.deepEqual(figuresIn(plan(["--only", "add,slow"])), new Set(["add", "slowAdd"]));
    for (const group of groups) assert.ok(jobsIn(plan(["--quick", "--only", group])).length > 0, group);
  });
  test("reports what cannot be built or started, and measures the rest", () => {
    const made = plan([], ["libgsoap-dev", "php-soap"]);
    assert.ok(!subjectsIn(made).has("gsoap") && !subjectsIn(made).has("php"));
    assert.ok(subjectsIn(made).has("nodeSoap"));
    assert.deepEqual(made.absent, [
      { label: "gSOAP", missing: ["libgsoap-dev"] },
      { label: "PHP SoapServer", missing: ["php-soap"] },
    ]);
    assert.match(describePlan(made, readOptions([])), /Left out: gSOAP; not installed: libgsoap-dev/);
  });
  test("leaves out scenarios with a slow flush where it cannot be compiled", () => {
    const made = plan([], ["gcc"]);
    assert.ok(!figuresIn(made).has("slowAdd"));
    assert.deepEqual(made.absent, [{ label: "each flush 2 ms slower", missing: ["gcc"] }]);
  });
  test("does not mention peers that were not selected", () => {
    assert.deepEqual(plan(["--only", "wsdl"], ["gsoap", "gcc"]).absent, []);
  });
});

describe("options", () => {
  test("reports unknown options in one line", () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [["--only", "add,lsit"], /"lsit" is none of probe, wsdl/],
      [["--only", ""], /"" is none of/],
      [["--only"], /argument missing/],
      [["--quick", "--large"], /contradict/],
      [["--fast"], /--fast/],
      [["add"], /add/],
    ];
    for (const [args, expected] of cases)
      assert.throws(
        () => readOptions(args),
        (error: Error) => error instanceof UsageError && expected.test(error.message),
        args.join(" "),
      );
  });
});
