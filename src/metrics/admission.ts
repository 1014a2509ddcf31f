/** Admission control: requests in flight, and requests that got 503 with Retry-After, by cause. */
import { Counter, Gauge } from "./families.ts";
import type { Registry } from "./registry.ts";

const causes = ["authentication_failures", "key_rate", "calls", "bodies", "lists"] as const;
type Cause = (typeof causes)[number];

/** What limits requests, with its own counters. */
export interface AdmissionSources {
  readonly admission: {
    readonly inFlight: number;
    readonly bodyBytes: number;
    readonly lists: number;
    readonly shed: Readonly<Record<"calls" | "bodies" | "lists", number>>;
  };
  readonly failedKeys: { readonly failures: number; readonly refusals: number };
  readonly keyRate: { readonly refusals: number } | null;
}

export class AdmissionMetrics {
  readonly #registry: Registry;
  readonly #failedKeys: Counter;
  readonly #throttled: Counter;
  readonly #inFlight: Gauge;
  readonly #bodyBytes: Gauge;
  readonly #lists: Gauge;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#failedKeys = registry.add(
      new Counter({
        name: "mailroll_authentication_failures",
        help: "Requests with an API key that is missing, unknown, revoked or expired, or that was refused without a look-up.",
      }),
    );
    this.#throttled = registry.add(
      new Counter(
        {
          name: "mailroll_throttled",
          help: "Requests that got 503 with Retry-After, by cause.",
        },
        causes.map((cause) => ({ cause })),
      ),
    );
    this.#inFlight = registry.add(
      new Gauge({
        name: "mailroll_requests_in_flight",
        help: "Requests that are being served now, except health checks and metrics.",
      }),
    );
    this.#bodyBytes = registry.add(
      new Gauge({
        name: "mailroll_buffered_body_bytes",
        unit: "bytes",
        help: "Request bodies in memory now.",
      }),
    );
    this.#lists = registry.add(
      new Gauge({ name: "mailroll_lists_streaming", help: "Long lists that are being streamed now." }),
    );
  }

  /** The sources keep their own counters, which are read when metrics are collected. */
  watch({ admission, failedKeys, keyRate }: AdmissionSources): void {
    this.#registry.onCollect(() => {
      const throttled: Readonly<Record<Cause, number>> = {
        authentication_failures: failedKeys.refusals,
        key_rate: keyRate?.refusals ?? 0,
        ...admission.shed,
      };
      for (const [series, cause] of causes.entries()) this.#throttled.set(throttled[cause], series);
      this.#failedKeys.set(failedKeys.failures);
      this.#inFlight.set(admission.inFlight);
      this.#bodyBytes.set(admission.bodyBytes);
      this.#lists.set(admission.lists);
    });
  }
}
