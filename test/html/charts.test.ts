import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  barChart,
  labelledOf,
  levelScaleOf,
  lineChart,
  percentOf,
  scaleOf,
} from "#html/components/charts.ts";
import { chartCases } from "./sample-pages.ts";

const names = ["Joined", "Left"] as const;
const bars = (...days: readonly (readonly [up: number, down: number])[]): string =>
  barChart({
    title: "Growth",
    locale: "en",
    labelName: "Day",
    names,
    days: days.map(([up, down], at) => ({ label: `Day ${at + 1}`, up, down })),
  }).html;
const line = (...values: readonly number[]): string =>
  lineChart({
    title: "Active",
    locale: "en",
    labelName: "Day",
    name: "Active",
    days: values.map((value, at) => ({ label: `Day ${at + 1}`, value })),
  }).html;
const ticksOf = (chart: string): readonly string[] =>
  [...(/<div class="ticks">(.*?)<\/div>/.exec(chart)?.[1] ?? "").matchAll(/<span>(.*?)<\/span>/g)].map(
    ([, text = ""]) => text,
  );

describe("the scale of a chart", () => {
  test("has round ticks that enclose all values and zero", () => {
    assert.deepEqual(scaleOf([37, -12]).ticks, [-20, 0, 20, 40]);
    assert.deepEqual(scaleOf([1_234_567]).ticks, [0, 500_000, 1_000_000, 1_500_000]);
  });
  test("has no tick on the other side of zero for what is little beside the rest", () => {
    for (const [values, ticks] of [
      [
        [60_000, -101],
        [0, 20_000, 40_000, 60_000],
      ],
      [
        [101, -60_000],
        [-60_000, -40_000, -20_000, 0],
      ],
    ] as const) {
      const scale = scaleOf(values);
      assert.deepEqual(scale.ticks, ticks);
      // There is room for a bar, and it does not leave the picture.
      const zero = percentOf(scale, 0);
      assert.ok(zero > 2 && zero < 98, `zero is at ${zero} %`);
      assert.ok(scale.low <= Math.min(...values) && scale.high >= Math.max(...values));
    }
    assert.deepEqual(scaleOf([101, -3]).ticks, [0, 50, 100, 150]);
  });
  test("has whole steps, and a height even if all values are zero", () => {
    assert.deepEqual(scaleOf([1]).ticks, [0, 1]);
    assert.deepEqual(scaleOf([0, 0]).ticks, [0, 1]);
    assert.deepEqual(scaleOf([]).ticks, [0, 1]);
  });
  test("of a level leaves zero out if it is far away", () => {
    assert.deepEqual(levelScaleOf([41_800, 43_700]).ticks, [41_500, 42_000, 42_500, 43_000, 43_500, 44_000]);
    assert.equal(levelScaleOf([10, 900]).low, 0);
    assert.equal(levelScaleOf([5, 5]).low, 0);
  });
  test("has every value inside the picture, and no position for what is not a number", () => {
    const scale = scaleOf([10]);
    assert.equal(percentOf(scale, 10), 0);
    assert.equal(percentOf(scale, -99), 100);
    assert.equal(percentOf(scale, Number.NaN), 100);
  });
  test("labels the last day, and others at even distances", () => {
    assert.deepEqual(labelledOf(30, 7), [29, 24, 19, 14, 9, 4]);
    assert.deepEqual(labelledOf(2, 7), [1, 0]);
    assert.deepEqual(labelledOf(0, 7), []);
  });
});

describe("a chart", () => {
  test("says in words what it shows, and has all numbers in a table", () => {
    const chart = bars([12, 3], [1_000, 0]);
    assert.match(chart, /role="img" aria-label="Growth, Day 1 to Day 2: 1,012 joined, 3 left\."/);
    assert.match(chart, /<th scope="row">Day 2<\/th><td class="number" data-label="Joined">1,000<\/td>/);
    assert.match(line(10, 4), /aria-label="Active: 4 on Day 2, -6 since Day 1\."/);
  });
  test("without days says that there are no numbers yet", () => {
    for (const chart of [bars(), line()]) assert.match(chart, /There are no numbers yet/);
  });
  test("draws nothing for zero, and something for one among a million", () => {
    assert.doesNotMatch(bars([0, 0]), /<rect class="(in|out)"/);
    assert.match(bars([1_000_000, 0], [1, 0]), /<rect class="in" x="72.5%" y="99%" width="5%" height="1%"/);
  });
  test("draws a negative number on the other side of the line", () => {
    assert.match(bars([10, 0], [-10, 0]), /<rect class="in" x="72.5%" y="50%" width="5%" height="50%"/);
  });
  test("draws a level of one day as a point", () => {
    assert.doesNotMatch(line(5), /<path/);
    assert.match(line(5), /<circle class="point last"/);
  });
  test("shortens the numbers of an axis, unless they would be the same", () => {
    assert.deepEqual(ticksOf(bars([2_000_000, 0])), ["2M", "1.5M", "1M", "500K", "0"]);
    const huge = ticksOf(line(900_719_925_474_099, 900_719_925_474_000));
    assert.equal(new Set(huge).size, huge.length);
  });
  test("writes the ticks where their lines are, also if there is room below the lowest one", () => {
    const chart = bars([60_000, 101]);
    assert.deepEqual(ticksOf(chart), ["60K", "40K", "20K", "0"]);
    const [, line] = /class="zero" x1="0" x2="100%" y1="([\d.]+)%"/.exec(chart) ?? [];
    const [, room] = /<\/div><svg width="1" height="([\d.]+)%">/.exec(chart) ?? [];
    assert.equal(Number(line) + Number(room), 100);
    assert.doesNotMatch(bars([60_000, 0]), /<svg width="1"/);
  });
  test("writes the last label at the right edge, not across it, where columns are narrow", () => {
    const narrow = line(...Array.from({ length: 30 }, (_, at) => at));
    assert.match(narrow, /x="100%" text-anchor="end" y="14">Day 30<\/text>/);
    assert.match(narrow, /x="81.67%" text-anchor="middle" y="14">Day 25<\/text>/);
    assert.match(line(1, 2), /x="75%" text-anchor="middle" y="14">Day 2<\/text>/);
  });
  test("has no broken number and no style attribute in any case", () => {
    for (const { html } of chartCases()) assert.doesNotMatch(html, /NaN|Infinity|undefined|style=/);
  });
});
