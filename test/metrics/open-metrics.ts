/**
 * An OpenMetrics 1.0 parser that rejects everything outside the specification. Written from the
 * specification, not from our writer.
 */
import assert from "node:assert/strict";

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
export interface MetricFamily {
  readonly name: string;
  type: string;
  unit: string;
  help: string | null;
  readonly samples: Sample[];
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = "[a-zA-Z_][a-zA-Z0-9_]*";
const ESCAPED = String.raw`(?:[^\n"\\]|\\[n"\\])*`;
const DESCRIPTOR = new RegExp(`^# (TYPE|UNIT|HELP) (${NAME}) (.*)$`);
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{((?:${LABEL}="${ESCAPED}")(?:,${LABEL}="${ESCAPED}")*)\\})? (\\S+)$`,
);
const PAIR = new RegExp(`(${LABEL})="(${ESCAPED})"`, "g");
const NUMBER = /^(?:[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?[iI]nf(?:inity)?|[nN]a[nN])$/;

const suffixes: Readonly<Record<string, readonly string[]>> = {
  counter: ["_total", "_created"],
  gauge: [""],
  histogram: ["_bucket", "_count", "_sum", "_created"],
  info: ["_info"],
};

const unescaped = (text: string): string =>
  text.replace(/\\([n"\\])/g, (_, code: string) => (code === "n" ? "\n" : code));
const numberOf = (text: string): number => {
  assert.match(text, NUMBER);
  return /inf/i.test(text) ? (text.startsWith("-") ? -Infinity : Infinity) : Number(text);
};

export function parseOpenMetrics(text: string): ReadonlyMap<string, MetricFamily> {
  assert.ok(text.endsWith("\n# EOF\n"), "the text ends with # EOF");
  const lines = text.slice(0, -"# EOF\n".length - 1).split("\n");
  const families = new Map<string, MetricFamily>();
  let current = null as MetricFamily | null;
  for (const line of lines) {
    assert.notEqual(line, "# EOF", "nothing comes after # EOF");
    const descriptor = DESCRIPTOR.exec(line);
    if (descriptor !== null) {
      const [, kind = "", name = "", value = ""] = descriptor;
      if (current?.name !== name) {
        assert.ok(!families.has(name), `${name} comes twice, with others between`);
        current = { name, type: "", unit: "", help: null, samples: [] };
        families.set(name, current);
      }
      describeFamily(current, kind, value);
    } else {
      assert.ok(current !== null, `a sample before any family: ${line}`);
      current.samples.push(sampleOf(line, current));
    }
  }
  checkNames(families);
  for (const family of families.values()) checkFamily(family);
  return families;
}

function describeFamily(family: MetricFamily, kind: string, value: string): void {
  assert.equal(family.samples.length, 0, `${family.name} is described after its samples`);
  if (kind === "TYPE") {
    assert.equal(family.type, "", `two types of ${family.name}`);
    assert.ok(value in suffixes, `${family.name} is of the type ${value}`);
    family.type = value;
  } else if (kind === "UNIT") {
    assert.equal(family.unit, "", `two units of ${family.name}`);
    assert.ok(family.name.endsWith(`_${value}`), `${family.name} does not end with its unit ${value}`);
    family.unit = value;
  } else {
    assert.equal(family.help, null, `two helps of ${family.name}`);
    assert.match(value, new RegExp(`^${ESCAPED}$`));
    family.help = unescaped(value);
  }
}

function sampleOf(line: string, family: MetricFamily): Sample {
  const found = SAMPLE.exec(line);
  assert.ok(found !== null, `not a sample: ${line}`);
  const [, name = "", pairs = "", value = ""] = found;
  const labels: Record<string, string> = {};
  for (const [, label = "", written = ""] of pairs.matchAll(PAIR)) {
    assert.ok(!(label in labels), `the label ${label} twice: ${line}`);
    labels[label] = unescaped(written);
  }
  const isOfFamily = suffixes[family.type]?.some((suffix) => name === family.name + suffix) === true;
  assert.ok(isOfFamily, `${name} is no sample of ${family.name}, a ${family.type}`);
  return { name, labels, value: numberOf(value) };
}

/** No sample's name may be taken for one of another family. */
function checkNames(families: ReadonlyMap<string, MetricFamily>): void {
  const owners = new Map<string, string>();
  for (const { name, type } of families.values())
    for (const suffix of ["", ...(suffixes[type] ?? [])]) {
      const full = name + suffix;
      assert.ok([undefined, name].includes(owners.get(full)), `${full}: ${name} and ${owners.get(full)}`);
      owners.set(full, name);
    }
}

const keyOf = ({ name, labels }: Sample): string =>
  `${name} ${Object.entries(labels).map(String).sort().join(" ")}`;

function checkFamily({ name, type, help, samples }: MetricFamily): void {
  assert.notEqual(type, "", `${name} has no type`);
  assert.ok(help !== null && help !== "", `${name} has no help`);
  const keys = samples.map(keyOf);
  assert.equal(new Set(keys).size, keys.length, `${name} has a sample twice`);
  if (type === "counter" || type === "histogram")
    for (const sample of samples) assert.ok(sample.value >= 0, `${keyOf(sample)} is ${sample.value}`);
  if (type === "info") for (const { value } of samples) assert.equal(value, 1, name);
  if (type === "histogram") checkHistogram(name, samples);
}

/**
 * The buckets of a series stand together, their bounds grow, their counts do not shrink, and the last holds
 * all.
 */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const series = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: "" }));
  assert.ok(series.size > 0, `${name} is empty`);
  for (const [labels, of] of series) {
    const buckets = of.filter((sample) => sample.name === `${name}_bucket`);
    assert.deepEqual(
      of.slice(0, buckets.length),
      buckets,
      `the buckets of ${name}${labels} do not come first`,
    );
    const bounds = buckets.map((bucket) => numberOf(bucket.labels.le ?? ""));
    assert.deepEqual(
      bounds,
      [...new Set(bounds)].sort((a, b) => a - b),
      name,
    );
    assert.equal(buckets.at(-1)?.labels.le, "+Inf");
    for (const bucket of buckets) assert.match(bucket.labels.le ?? "", /^(?:\+Inf|\d+\.\d+)$/);
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      `${name}${labels} is not cumulative`,
    );
    const single = (suffix: string): number => {
      const found = of.filter((sample) => sample.name === name + suffix);
      assert.equal(found.length, 1, `${name}${suffix}${labels}`);
      return found[0]?.value ?? Number.NaN;
    };
    assert.equal(single("_count"), counts.at(-1));
    assert.ok(single("_sum") >= 0);
  }
}

/** The sum of all samples of a name whose labels have these values; there must be one. */
export function valueIn(
  families: ReadonlyMap<string, MetricFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const found = [...families.values()]
    .flatMap(({ samples }) => samples)
    .filter(
      (sample) =>
        sample.name === name &&
        Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
  assert.ok(found.length > 0, `there is no ${name} ${JSON.stringify(labels)}`);
  return found.reduce((sum, { value }) => sum + value, 0);
}
