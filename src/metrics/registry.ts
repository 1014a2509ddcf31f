/** All families of a process: what they hold, in one list of numbers each, and that as text (OpenMetrics 1.0). */
import { escaped, type Family, type Values } from "./families.ts";

/** The values of every family; of processes that run the same program they fit together. */
export type Snapshot = readonly Values[];

export const CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";

export class Registry {
  readonly #families: Family[] = [];
  readonly #collectors: (() => void | Promise<void>)[] = [];

  add<F extends Family>(family: F): F {
    this.#families.push(family);
    return family;
  }
  /** Called before each snapshot, to set what is not counted as it happens. */
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

  /** What stays of a process that has ended: what it has counted, or numbers that only grow would shrink. */
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
