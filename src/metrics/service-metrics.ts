/** All metrics of the service, by subject. */
import { AdmissionMetrics } from "./admission.ts";
import { CallMetrics, type Declared } from "./calls.ts";
import type { Labels } from "./families.ts";
import { ProcessMetrics } from "./process.ts";
import { Registry } from "./registry.ts";
import { SendingMetrics } from "./sending.ts";
import { StorageMetrics } from "./storage.ts";
import { TrafficMetrics } from "./traffic.ts";

export interface MetricsOptions extends Declared {
  readonly checks: readonly string[];
  readonly build: Labels;
}

export class ServiceMetrics {
  readonly registry = new Registry();
  readonly calls: CallMetrics;
  readonly traffic: TrafficMetrics;
  readonly admission: AdmissionMetrics;
  readonly storage: StorageMetrics;
  readonly sending: SendingMetrics;
  readonly process: ProcessMetrics;

  constructor(options: MetricsOptions) {
    this.calls = new CallMetrics(this.registry, options);
    this.traffic = new TrafficMetrics(this.registry);
    this.admission = new AdmissionMetrics(this.registry);
    this.storage = new StorageMetrics(this.registry, options.checks);
    this.sending = new SendingMetrics(this.registry);
    this.process = new ProcessMetrics(this.registry, options.build);
  }

  async text(): Promise<string> {
    return this.registry.text(await this.registry.snapshot());
  }
}
