/** Metric families and their text; and that the parser of the tests rejects invalid text. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Counter, Gauge, Histogram, info } from "#metrics/families.ts";
import { Registry } from "#metrics/registry.ts";
import { parseOpenMetrics, valueIn } from "./open-metrics.ts";

const HOSTILE = 'a "b" \\ c\\n\nd{}=,#é\u{1f600}';

function registryOf() {
  const registry = new Registry();
  const calls = registry.add(
    new Counter({ name: "calls", help: HOSTILE }, [{ to: HOSTILE }, { to: "b", by: "x" }]),
  );
  const seconds = registry.add(
    new Histogram(
      { name: "took_seconds", unit: "seconds", help: "How long." },
      [0.5, 1, 2.5],
      [{ of: "a" }, { of: "b" }],
    ),
  );
  const open = registry.add(new Gauge({ name: "open", help: "Open." }));
  const newest = registry.add(new Gauge({ name: "newest", help: "Newest." }, [{}], "max"));
  registry.add(info({ name: "build", help: "Build." }, { version: "1" }));
  return { registry, calls, seconds, open, newest };
}

describe("the OpenMetrics text", () => {
  test("follows the OpenMetrics grammar whatever the labels contain", async () => {
    const { registry, calls } = registryOf();
    calls.add(3);
    calls.add(0.5, 1);
    const families = parseOpenMetrics(registry.text(await registry.snapshot()));
    assert.deepEqual(families.get("calls")?.samples, [
      { name: "calls_total", labels: { to: HOSTILE }, value: 3 },
      { name: "calls_total", labels: { to: "b", by: "x" }, value: 0.5 },
    ]);
    assert.equal(families.get("calls")?.help, HOSTILE);
    assert.equal(families.get("took_seconds")?.unit, "seconds");
  });
  test("leaves out values that are not known", async () => {
    const { registry, open } = registryOf();
    const samples = async () =>
      parseOpenMetrics(registry.text(await registry.snapshot())).get("open")?.samples.length;
    assert.equal(await samples(), 0);
    open.set(0);
    assert.equal(await samples(), 1);
    open.set(null);
    assert.equal(await samples(), 0);
  });
  test("writes numbers of any size", async () => {
    const { registry, calls, open } = registryOf();
    calls.add(1e-7);
    open.set(Number.MAX_SAFE_INTEGER * 4096);
    const families = parseOpenMetrics(registry.text(await registry.snapshot()));
    assert.equal(valueIn(families, "calls_total"), 1e-7);
    assert.equal(valueIn(families, "open"), Number.MAX_SAFE_INTEGER * 4096);
  });
});

test("counts a value in the first bucket whose bound it does not exceed, and in all later ones", async () => {
  const { registry, seconds } = registryOf();
  for (const value of [0, 0.5, 0.50001, 1, 2.5, 2.6, 1000]) seconds.observe(value, 1);
  const families = parseOpenMetrics(registry.text(await registry.snapshot()));
  const upTo = (le: string) => valueIn(families, "took_seconds_bucket", { of: "b", le });
  assert.deepEqual(["0.5", "1.0", "2.5", "+Inf"].map(upTo), [2, 4, 5, 7]);
  assert.equal(valueIn(families, "took_seconds_count", { of: "a" }), 0);
  assert.ok(Math.abs(valueIn(families, "took_seconds_sum", { of: "b" }) - 1007.10001) < 1e-9);
});

test("waits for collectors before each snapshot", async () => {
  const { registry, open } = registryOf();
  let asked = 0;
  registry.onCollect(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    asked += 1;
    open.set(asked);
  });
  const value = async () => valueIn(parseOpenMetrics(registry.text(await registry.snapshot())), "open");
  assert.equal(await value(), 1);
  assert.equal(await value(), 2);
});

describe("metrics of several processes", () => {
  async function process(calls: number, open: number, newest: number) {
    const one = registryOf();
    one.calls.add(calls);
    one.seconds.observe(calls);
    one.open.set(open);
    one.newest.set(newest);
    return one.registry.snapshot();
  }
  const { registry } = registryOf();
  const read = (snapshots: Parameters<typeof registry.merge>[0]) =>
    parseOpenMetrics(registry.text(registry.merge(snapshots)));

  test("sums counters of several processes and takes the maximum of shared gauges", async () => {
    const families = read([await process(1, 10, 5), await process(2, 20, 9), await process(3, 30, 7)]);
    assert.equal(valueIn(families, "calls_total"), 6);
    assert.equal(valueIn(families, "open"), 60);
    assert.equal(valueIn(families, "newest"), 9);
    assert.equal(valueIn(families, "took_seconds_bucket", { of: "a", le: "1.0" }), 1);
    assert.equal(valueIn(families, "took_seconds_bucket", { of: "a", le: "2.5" }), 2);
    assert.equal(valueIn(families, "took_seconds_sum"), 6);
    assert.equal(valueIn(families, "build_info"), 1);
  });
  test("retains the counters of an exited process, and nothing else", async () => {
    const families = read([await process(1, 10, 5), registry.retained(await process(2, 20, 9))]);
    assert.equal(valueIn(families, "calls_total"), 3);
    assert.equal(valueIn(families, "took_seconds_count"), 2);
    assert.equal(valueIn(families, "open"), 10);
    assert.equal(valueIn(families, "newest"), 5);
  });
});

describe("the OpenMetrics reader of these tests rejects", () => {
  const good = [
    "# TYPE a counter",
    "# HELP a A.",
    'a_total{x="1"} 1',
    "# TYPE h histogram",
    "# HELP h H.",
    'h_bucket{le="1.0"} 1',
    'h_bucket{le="+Inf"} 2',
    "h_count 2",
    "h_sum 3",
    "# EOF",
    "",
  ].join("\n");
  test("accepts valid text", () => {
    assert.equal(parseOpenMetrics(good).size, 2);
  });
  for (const [what, from, to] of [
    ["a missing end", "# EOF\n", ""],
    ["something after the end", "# EOF\n", "# EOF\n# EOF\n"],
    ["a counter without _total", "a_total{", "a{"],
    ["a wrong unit", "# HELP a A.", "# UNIT a seconds\n# HELP a A."],
    ["an unescaped quotation mark", '"1"', '"1"2"'],
    ["a label twice", 'x="1"', 'x="1",x="2"'],
    ["a sample twice", 'a_total{x="1"} 1', 'a_total{x="1"} 1\na_total{x="1"} 1'],
    ["a bad value", 'a_total{x="1"} 1', 'a_total{x="1"} one'],
    ["two spaces", 'a_total{x="1"} 1', 'a_total{x="1"}  1'],
    ["an empty line", "# TYPE h", "\n# TYPE h"],
    ["a bad name", "a_total{", "9_total{"],
    ["no type", "# TYPE a counter\n", ""],
    ["bounds out of order", 'le="1.0"', 'le="+Inf"'],
    ["counts that shrink", 'h_bucket{le="1.0"} 1', 'h_bucket{le="1.0"} 3'],
    ["a count that is not that of the last bucket", "h_count 2", "h_count 1"],
    ["no sum", "h_sum 3\n", ""],
    ["a negative counter", 'a_total{x="1"} 1', 'a_total{x="1"} -1'],
  ] as const)
    test(what, () => {
      assert.ok(good.includes(from));
      assert.throws(() => parseOpenMetrics(good.replace(from, to)), assert.AssertionError);
    });
});
