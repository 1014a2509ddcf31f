/**
 * What becomes of calls. Labels are operations, versions, outcomes and faults that are declared, never anything that a caller
 * wrote, so their number is bounded. A call costs a tenth of a millisecond: counting it must not be noticed.
 */
import { Counter, Histogram, type Labels, type Values } from "./families.ts";
import type { Registry } from "./registry.ts";

export interface Declared {
  /** Of each operation the names of what its calls can come to, faults apart. */
  readonly operations: Readonly<Record<string, readonly string[]>>;
  readonly faults: readonly string[];
  /** Those that are no refusal. */
  readonly successes: readonly string[];
  /** What an outcome that nobody declared is. */
  readonly defect: string;
}

type Version = "1.1" | "1.2";
const versions: readonly Version[] = ["1.1", "1.2"];

/** Where an operation's numbers stand. */
interface OperationSeries {
  readonly series: number;
  /** The first of its outcomes' numbers; the one of the second version follows each. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly defect: number;
}

/** Calls of which it was not found out what they asked for. */
const NO_OPERATION = "none";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class CallMetrics {
  readonly #series = new Map<string | null, OperationSeries>();
  readonly #unknown: OperationSeries;
  readonly #requests: Counter;
  readonly #seconds: Histogram;

  constructor(registry: Registry, { operations, faults, successes, defect }: Declared) {
    const labels: Labels[] = [];
    const addSeries = (operation: string, names: readonly string[]): OperationSeries => {
      const outcomes = new Map<string, number>();
      for (const outcome of [...names, ...faults]) {
        outcomes.set(outcome, labels.length);
        for (const soap of versions) labels.push({ operation, soap, outcome });
      }
      const series = this.#series.size;
      return { series, outcomes, defect: outcomes.get(defect) ?? 0 };
    };
    for (const [name, outcomes] of Object.entries(operations))
      this.#series.set(name, addSeries(name, outcomes));
    this.#unknown = addSeries(NO_OPERATION, []);

    this.#requests = registry.add(
      new Counter(
        { name: "mailroll_requests", help: "SOAP calls by operation, SOAP version and outcome or fault." },
        labels,
      ),
    );
    this.#seconds = registry.add(
      new Histogram(
        {
          name: "mailroll_request_seconds",
          unit: "seconds",
          help: "How long SOAP calls took, from the first byte read to the last one handed on.",
        },
        SECONDS,
        [...Object.keys(operations), NO_OPERATION].map((operation) => ({ operation })),
      ),
    );
    registry.add(new Refused(this.#requests, labels, successes));
  }

  /** `operation` is null, and any name is taken for that which is no operation. */
  served(operation: string | null, version: Version, outcome: string, ms: number): void {
    const { series, outcomes, defect } = this.#series.get(operation) ?? this.#unknown;
    const first = outcomes.get(outcome) ?? defect;
    this.#requests.add(1, version === "1.1" ? first : first + 1);
    this.#seconds.observe(ms / 1000, series);
  }
}

/** Nothing that the requests do not tell already, so it is summed up when it is asked for. */
class Refused extends Counter {
  readonly #requests: Counter;
  /** Of each reason, where its requests are counted. */
  readonly #places: readonly (readonly number[])[];

  constructor(requests: Counter, labels: readonly Labels[], successes: readonly string[]) {
    const outcomes = new Set(labels.map(({ outcome = "" }) => outcome));
    const reasons = [...outcomes].filter((outcome) => !successes.includes(outcome));
    super(
      { name: "mailroll_refused", help: "SOAP calls that did not get what they asked for, by reason." },
      reasons.map((reason) => ({ reason })),
    );
    this.#requests = requests;
    this.#places = reasons.map((reason) =>
      labels.flatMap(({ outcome }, at) => (outcome === reason ? [at] : [])),
    );
  }

  override values(): Values {
    const counted = this.#requests.values();
    return this.#places.map((places) => places.reduce((sum, at) => sum + (counted[at] ?? 0), 0));
  }
}
