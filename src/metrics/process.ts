/** The process itself: event loop delay, memory, CPU time, and version. */
import { performance } from "node:perf_hooks";
import { Counter, Gauge, Histogram, info, type Labels } from "./families.ts";
import type { Registry } from "./registry.ts";

const SAMPLE_MS = 100;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

const lostCauses = ["unread", "failed"] as const;

export class ProcessMetrics {
  readonly #registry: Registry;
  readonly #delay: Histogram;
  readonly #lostLines: Counter;

  constructor(registry: Registry, build: Labels) {
    this.#registry = registry;
    this.#lostLines = registry.add(
      new Counter(
        {
          name: "mailroll_log_lines_lost",
          help: "Log lines that were not written: they were not read in time, or the write failed.",
        },
        lostCauses.map((cause) => ({ cause })),
      ),
    );
    registry.add(
      info({ name: "mailroll_build", help: "The version of Mailroll and of its runtime." }, build),
    );
    const processes = registry.add(
      new Gauge({
        name: "mailroll_processes",
        help: "Serving processes whose metrics are summed up here.",
      }),
    );
    processes.set(1);
    this.#delay = registry.add(
      new Histogram(
        {
          name: "mailroll_event_loop_delay_seconds",
          unit: "seconds",
          help: "How late a timer ran, sampled ten times a second.",
        },
        SECONDS,
      ),
    );
    const active = registry.add(
      new Counter({
        name: "mailroll_event_loop_active_seconds",
        unit: "seconds",
        help: "Time in which the event loop was active.",
      }),
    );
    const cpu = registry.add(
      new Counter({
        name: "process_cpu_seconds",
        unit: "seconds",
        help: "User and system CPU time of all threads.",
      }),
    );
    const resident = registry.add(
      new Gauge({ name: "process_resident_memory_bytes", unit: "bytes", help: "Resident memory." }),
    );
    const heap = registry.add(
      new Gauge({ name: "mailroll_heap_bytes", unit: "bytes", help: "Memory in use by JavaScript objects." }),
    );
    const started = registry.add(
      new Gauge(
        {
          name: "process_start_time_seconds",
          unit: "seconds",
          help: "Start time of the process, or of the youngest of several, in seconds since 1970.",
        },
        [{}],
        "max",
      ),
    );
    started.set(performance.timeOrigin / 1000);
    registry.onCollect(() => {
      active.set(performance.eventLoopUtilization().active / 1000);
      const { user, system } = process.cpuUsage();
      cpu.set((user + system) / 1e6);
      const { rss, heapUsed } = process.memoryUsage();
      resident.set(rss);
      heap.set(heapUsed);
    });
  }

  /** The log keeps its own counters, which are read when metrics are collected. */
  watchLog({ lost }: { readonly lost: Readonly<Record<(typeof lostCauses)[number], number>> }): void {
    this.#registry.onCollect(() => {
      for (const [series, cause] of lostCauses.entries()) this.#lostLines.set(lost[cause], series);
    });
  }

  /**
   * Not `monitorEventLoopDelay` of Node: its histogram never forgets unless it is reset, which two scrapers
   * would do to each other, and it cannot be summed over processes. Returns a function that stops it.
   */
  watchEventLoop(): () => void {
    let last = performance.now();
    const timer = setInterval(() => {
      const now = performance.now();
      this.#delay.observe(Math.max(now - last - SAMPLE_MS, 0) / 1000);
      last = now;
    }, SAMPLE_MS).unref();
    return () => clearInterval(timer);
  }
}
