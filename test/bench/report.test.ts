/** The report: chart, tables and data. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { SaxesParser } from "saxes";
import { judge } from "../../bench/judge.ts";
import { sampleOf } from "../../bench/measure/sample.ts";
import { readOptions } from "../../bench/options.ts";
import { inJson } from "../../bench/report/json.ts";
import { inMarkdown } from "../../bench/report/markdown.ts";
import { amount } from "../../bench/report/numbers.ts";
import { inPlainText } from "../../bench/report/plain-text.ts";
import type { Report } from "../../bench/report/report.ts";
import { inSvg } from "../../bench/report/svg.ts";
import { table } from "../../bench/report/table.ts";
import { Results } from "../../bench/results.ts";
import { targets } from "../../bench/targets.ts";

function measured(): Results {
  const results = new Results();
  for (const [ours, theirs] of [
    [9000, 3000],
    [10_000, 4000],
    [12_000, 5000],
  ] as const) {
    results.add("add", "mailroll", sampleOf(ours, { cpuMs: 0.1, p99Ms: 12 }));
    results.add("add", "gsoap", sampleOf(theirs, { cpuMs: 0.3 }));
    results.add("add", "sqliteAdds", sampleOf(100_000));
  }
  for (let i = 0; i < 3; i += 1) results.add("longList", "mailroll", sampleOf(1.5, { overIdleMiB: 40 }));
  return results;
}
const report = (results: Results): Report => ({
  startedAt: new Date("2026-11-15T10:00:00Z"),
  minutes: 12.34,
  options: readOptions([]),
  absent: [{ label: "PHP SoapServer", missing: ["php-soap"] }],
  machine: { cpu: "2 × arm64", memoryGiB: 8, system: "Linux 6", versions: { node: "24.0.0" } },
  results,
  judged: targets.map((target) => judge(target, results)),
});

interface Drawn {
  readonly texts: readonly string[];
  readonly bars: readonly Readonly<Record<string, string>>[];
}
/** Throws where it is not well-formed. */
function drawn(svg: string): Drawn {
  const texts: string[] = [];
  const bars: Record<string, string>[] = [];
  const parser = new SaxesParser({ xmlns: false });
  let isText = false;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, attributes }) => {
    isText = name === "text";
    if (name === "rect") bars.push(attributes);
  });
  parser.on("closetag", () => {
    isText = false;
  });
  parser.on("text", (text) => {
    if (isText) texts.push(text);
  });
  parser.write(svg).close();
  return { texts, bars };
}

test("draws a bar with label and value for each server", () => {
  const { texts, bars } = drawn(inSvg(measured()));
  for (const text of ["Mailroll", "10,000", "gSOAP", "4,000", "1.50 s"])
    assert.ok(texts.includes(text), text);
  assert.equal(bars.length, 3);
  const [ours, theirs] = bars.map(({ width }) => Number(width));
  assert.ok(Math.abs((theirs ?? 0) / (ours ?? 1) - 0.4) < 0.01);
});
test("has chart colours for dark pages", () => {
  assert.match(inSvg(measured()), /@media \(prefers-color-scheme: dark\)/);
});
test("draws a well-formed chart without results", () => {
  assert.deepEqual(drawn(inSvg(new Results())), { texts: [], bars: [] });
});

test("shows the machine, omissions, verdicts and figures on the page", () => {
  const page = inMarkdown(report(measured()));
  for (const text of [
    "A usual run on 2026-11-15",
    "2 × arm64",
    "Left out: PHP SoapServer; not installed: php-soap.",
    "| durable Add against gSOAP | 2.40 × | 24 % | ≥ 1.4 × | reached | ≥ 2 × | reached |",
    "| gSOAP | 4,000 | 50 % | 0.400 × | 0.300 |",
    "| WSDL against bare node:http with the same bytes | – |",
  ])
    assert.ok(page.includes(text), `${text}\n\n${page}`);
});
test("has as many cells in each row of a table as in its head", () => {
  for (const part of inMarkdown(report(measured()))
    .trim()
    .split("\n\n")
    .filter((one) => one.startsWith("|")))
    assert.equal(new Set(part.split("\n").map((line) => line.split("|").length)).size, 1, part);
});
test("exports each sample of each round as JSON", () => {
  const data = JSON.parse(inJson(report(measured()))) as {
    measured: { figure: string; subjects: { subject: string; rounds: { value: number }[] }[] }[];
    judged: { title: string; worst: number | null; must: { verdict: string } | null }[];
  };
  const [add] = data.measured;
  assert.equal(add?.figure, "add");
  assert.deepEqual(
    add.subjects[1]?.rounds.map(({ value }) => value),
    [3000, 4000, 5000],
  );
  const verdict = data.judged.find(({ title }) => title === "durable Add against gSOAP");
  assert.equal(verdict?.must?.verdict, "reached");
});
test("shows the same in plain text", () => {
  const text = inPlainText(report(measured()));
  assert.match(text, /durable Add against gSOAP +2\.40 × +24 % +≥ 1\.4 × +reached +≥ 2 × +reached/);
  assert.match(text, /It took 12\.3 minutes\./);
});

test("aligns columns", () => {
  assert.equal(
    table(
      ["", "n"],
      [
        ["a", "1"],
        ["long", "1,000"],
      ],
    ),
    "          n\n----  -----\na         1\nlong  1,000",
  );
});
test("formats numbers with three digits or thousands", () => {
  assert.deepEqual([0.0512, 1.5, 42.31, 123.4, 9999.5].map(amount), [
    "0.0512",
    "1.50",
    "42.3",
    "123",
    "10,000",
  ]);
});
