/** All metric families of a process, their snapshot, and its text (OpenMetrics 1.0). */
import { escaped, type Family, type Values } from "./families.ts";

/** The values of every family; processes of the same version have the same layout. */
export type Snapshot = readonly Values[];

export const METRICS_PATH = "/metrics";
export const CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

export class Registry {
  readonly #families: Family[] = [];
  readonly #collectors: (() => void | Promise<void>)[] = [];

  add<F extends Family>(family: F): F {
    this.#families.push(family);
    return family;
  }
  /** Called before each snapshot, to set values that are not counted as they happen. */
  onCollect(collect: () => void | Promise<void>): void {
    this.#collectors.push(collect);
  }

  async snapshot(): Promise<Snapshot> {
    await Promise.all(this.#collectors.map(async (gauge) => gauge()));
    return this.#families.map((family) => family.values());
  }

  merge(snapshots: readonly Snapshot[]): Snapshot {
    return this.#families.map(({ samples, aggregation }, family) =>
      samples.map((_, at) => {
        const known = snapshots
          .map((snapshot) => snapshot[family]?.[at] ?? null)
          .filter((value) => value !== null);
        if (known.length === 0) return null;
        return aggregation === "max" ? Math.max(...known) : known.reduce((sum, value) => sum + value);
      }),
    );
  }

  /**
   * What is retained of a process that has exited: its counters and histograms, because those must never
   * shrink.
   */
  retained(snapshot: Snapshot): Snapshot {
    return this.#families.map(({ type, samples }, family) =>
      type === "counter" || type === "histogram" ? (snapshot[family] ?? []) : samples.map(() => null),
    );
  }

  text(snapshot: Snapshot): string {
    const lines: string[] = [];
    for (const [family, { name, type, unit, help, samples }] of this.#families.entries()) {
      lines.push(`# TYPE ${name} ${type}`);
      if (unit !== undefined) lines.push(`# UNIT ${name} ${unit}`);
      lines.push(`# HELP ${name} ${escaped(help)}`);
      for (const [at, sample] of samples.entries()) {
        const value = snapshot[family]?.[at] ?? null;
        if (value !== null) lines.push(`${sample} ${value}`);
      }
    }
    return `${lines.join("\n")}\n# EOF\n`;
  }
}
