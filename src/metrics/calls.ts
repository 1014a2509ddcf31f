/**
 * SOAP calls by operation, version and outcome. Labels are declared operations, versions, outcomes and
 * faults, never anything that a caller sent, so their number is bounded. A call takes a tenth of a
 * millisecond, so counting it must be next to free.
 */
import { Counter, Histogram, type Labels, type Values } from "./families.ts";
import type { Registry } from "./registry.ts";

export interface Declared {
  /** The outcomes of each operation, without faults. */
  readonly operations: Readonly<Record<string, readonly string[]>>;
  readonly faults: readonly string[];
  /** Outcomes that are not refusals. */
  readonly successes: readonly string[];
  /** Counted for an outcome that is not declared. */
  readonly defect: string;
}

type Version = "1.1" | "1.2";
const versions: readonly Version[] = ["1.1", "1.2"];

/** The indexes of an operation's series. */
interface OperationSeries {
  readonly series: number;
  /** For each outcome the index of its first version; that of the second version follows it. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly defect: number;
}

/** The label of calls whose operation is not known. */
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
          name: "mailroll_request_duration_seconds",
          unit: "seconds",
          help: "Duration of SOAP calls, from the first byte read to the last byte written.",
        },
        SECONDS,
        [...Object.keys(operations), NO_OPERATION].map((operation) => ({ operation })),
      ),
    );
    registry.add(new Refused(this.#requests, labels, successes));
  }

  /** `operation` is null where it is not known; a name that is not declared counts as that. */
  served(operation: string | null, version: Version, outcome: string, ms: number): void {
    const { series, outcomes, defect } = this.#series.get(operation) ?? this.#unknown;
    const first = outcomes.get(outcome) ?? defect;
    this.#requests.add(1, version === "1.1" ? first : first + 1);
    this.#seconds.observe(ms / 1000, series);
  }
}

/** Derived from the requests counter, so it is summed only when it is collected. */
class Refused extends Counter {
  readonly #requests: Counter;
  /** For each reason, the indexes of its requests. */
  readonly #indexes: readonly (readonly number[])[];

  constructor(requests: Counter, labels: readonly Labels[], successes: readonly string[]) {
    const outcomes = new Set(labels.map(({ outcome = "" }) => outcome));
    const reasons = [...outcomes].filter((outcome) => !successes.includes(outcome));
    super(
      {
        name: "mailroll_requests_refused",
        help: "SOAP calls that ended with a fault or a refusing outcome, by reason.",
      },
      reasons.map((reason) => ({ reason })),
    );
    this.#requests = requests;
    this.#indexes = reasons.map((reason) =>
      labels.flatMap(({ outcome }, at) => (outcome === reason ? [at] : [])),
    );
  }

  override values(): Values {
    const counted = this.#requests.values();
    return this.#indexes.map((indexes) => indexes.reduce((sum, at) => sum + (counted[at] ?? 0), 0));
  }
}
