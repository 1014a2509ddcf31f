/** How much is in hand, and who was told to come again later, by what there was too much of. */
import { Counter, Gauge } from "./families.ts";
import type { Registry } from "./registry.ts";

const causes = ["failed_keys", "key_rate", "calls", "bodies", "lists"] as const;
type Cause = (typeof causes)[number];

/** Those who hold back, with what they have counted. */
export interface AdmissionSources {
  readonly load: {
    readonly calls: number;
    readonly bytes: number;
    readonly lists: number;
    readonly refused: Readonly<Record<"calls" | "bodies" | "lists", number>>;
  };
  readonly failedKeys: { readonly failures: number; readonly refusals: number };
  readonly keyRate: { readonly refusals: number } | null;
}

export class AdmissionMetrics {
  readonly #registry: Registry;
  readonly #failedKeys: Counter;
  readonly #throttled: Counter;
  readonly #calls: Gauge;
  readonly #bodyBytes: Gauge;
  readonly #lists: Gauge;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#failedKeys = registry.add(
      new Counter({
        name: "mailroll_keys_failed",
        help: "Requests with a key that does not work, or that was refused without a look-up.",
      }),
    );
    this.#throttled = registry.add(
      new Counter(
        {
          name: "mailroll_throttled",
          help: "Requests that were told to come again later, by what there was too much of.",
        },
        causes.map((cause) => ({ cause })),
      ),
    );
    this.#calls = registry.add(
      new Gauge({ name: "mailroll_calls", help: "Calls that are being served now." }),
    );
    this.#bodyBytes = registry.add(
      new Gauge({ name: "mailroll_body_bytes", unit: "bytes", help: "Bodies of calls in memory now." }),
    );
    this.#lists = registry.add(
      new Gauge({ name: "mailroll_lists", help: "Long lists that are being sent now." }),
    );
  }

  /** They count for themselves, and are looked at when the numbers are asked for. */
  watch({ load, failedKeys, keyRate }: AdmissionSources): void {
    this.#registry.onCollect(() => {
      const throttled: Readonly<Record<Cause, number>> = {
        failed_keys: failedKeys.refusals,
        key_rate: keyRate?.refusals ?? 0,
        ...load.refused,
      };
      for (const [series, cause] of causes.entries()) this.#throttled.set(throttled[cause], series);
      this.#failedKeys.set(failedKeys.failures);
      this.#calls.set(load.calls);
      this.#bodyBytes.set(load.bytes);
      this.#lists.set(load.lists);
    });
  }
}
