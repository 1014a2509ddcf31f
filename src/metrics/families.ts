/**
 * OpenMetrics families: counters, gauges, histograms and info. Their series are fixed at construction, with
 * names and labels already encoded. So counting is an addition at a known index, a snapshot is an array of
 * numbers, and snapshots of several processes are merged index by index.
 */

export type Labels = Readonly<Record<string, string>>;
/** null: not known at the moment, and left out. */
export type Values = readonly (number | null)[];

type Unit = "seconds" | "bytes";
export interface Description {
  readonly name: string;
  readonly help: string;
  /** The name ends with it. */
  readonly unit?: Unit;
}
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly unit: Unit | undefined;
  readonly type: "counter" | "gauge" | "histogram" | "info";
  /** Each sample's name and labels, in the order of the values. */
  readonly samples: readonly string[];
  /** How the values of several processes are combined. */
  readonly aggregation: "sum" | "max";
  values(): Values;
}

export const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
const sample = (name: string, labels: Labels): string => {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escaped(value)}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`;
};

const ONE: readonly Labels[] = [{}];

class MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly unit: Unit | undefined;

  constructor({ name, help, unit }: Description) {
    this.name = name;
    this.help = help;
    this.unit = unit;
  }
}

/** Values that only grow while the process runs. */
export class Counter extends MetricFamily implements Family {
  readonly type = "counter";
  readonly aggregation = "sum";
  readonly samples: readonly string[];
  readonly #values: Float64Array;

  constructor(description: Description, series: readonly Labels[] = ONE) {
    super(description);
    this.samples = series.map((labels) => sample(`${this.name}_total`, labels));
    this.#values = new Float64Array(series.length);
  }

  add(by = 1, series = 0): void {
    this.#values[series] = (this.#values[series] ?? 0) + by;
  }
  /** For a value that is counted elsewhere. */
  set(value: number, series = 0): void {
    this.#values[series] = value;
  }
  values(): Values {
    return [...this.#values];
  }
}

/** Values as they are at collection. */
export class Gauge extends MetricFamily implements Family {
  readonly type: "gauge" | "info";
  readonly aggregation: "sum" | "max";
  readonly samples: readonly string[];
  readonly #values: (number | null)[];

  constructor(
    description: Description,
    series: readonly Labels[] = ONE,
    aggregation: "sum" | "max" = "sum",
    type: "gauge" | "info" = "gauge",
  ) {
    super(description);
    this.type = type;
    this.aggregation = aggregation;
    this.samples = series.map((labels) => sample(type === "info" ? `${this.name}_info` : this.name, labels));
    this.#values = series.map(() => null);
  }

  set(value: number | null, series = 0): void {
    this.#values[series] = value;
  }
  values(): Values {
    return [...this.#values];
  }
}

/** Constant facts, as labels. */
export function info(description: Description, labels: Labels): Gauge {
  const gauge = new Gauge(description, [labels], "max", "info");
  gauge.set(1);
  return gauge;
}

/** The bucket bounds are in ascending order. */
export class Histogram extends MetricFamily implements Family {
  readonly type = "histogram";
  readonly aggregation = "sum";
  readonly samples: readonly string[];
  readonly #bounds: readonly number[];
  /** The buckets of each series; the last one has no upper bound. */
  readonly #counts: Float64Array;
  readonly #sums: Float64Array;

  constructor(description: Description, bounds: readonly number[], series: readonly Labels[] = ONE) {
    super(description);
    this.#bounds = bounds;
    this.#counts = new Float64Array(series.length * (bounds.length + 1));
    this.#sums = new Float64Array(series.length);
    const les = [...bounds.map(asFloat), "+Inf"];
    this.samples = series.flatMap((labels) => [
      ...les.map((le) => sample(`${this.name}_bucket`, { ...labels, le })),
      sample(`${this.name}_count`, labels),
      sample(`${this.name}_sum`, labels),
    ]);
  }

  observe(value: number, series = 0): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    const at = series * (bounds.length + 1) + bucket;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sums[series] = (this.#sums[series] ?? 0) + value;
  }

  values(): Values {
    const width = this.#bounds.length + 1;
    return [...this.#sums].flatMap((sum, series) => {
      let count = 0;
      const buckets = this.#counts.subarray(series * width, (series + 1) * width);
      const upTo = Array.from(buckets, (n) => {
        count += n;
        return count;
      });
      return [...upTo, count, sum];
    });
  }
}

/** OpenMetrics requires bounds to be written as floats. */
const asFloat = (bound: number): string => (Number.isInteger(bound) ? `${bound}.0` : String(bound));
