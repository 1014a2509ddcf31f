/** The process itself: how late its event loop is, its memory and time, and which version it is. */
import { performance } from "node:perf_hooks";
import { Counter, Gauge, Histogram, info, type Labels } from "./families.ts";
import type { Registry } from "./registry.ts";

const SAMPLE_MS = 100;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

export class ProcessMetrics {
  readonly #delay: Histogram;

  constructor(registry: Registry, build: Labels) {
    registry.add(info({ name: "mailroll_build", help: "Which version this is." }, build));
    const processes = registry.add(
      new Gauge({
        name: "mailroll_processes",
        help: "Processes that serve, all of whose numbers these are.",
      }),
    );
    processes.set(1);
    this.#delay = registry.add(
      new Histogram(
        {
          name: "mailroll_event_loop_delay_seconds",
          unit: "seconds",
          help: "How much later than asked for a timer ran, ten times a second.",
        },
        SECONDS,
      ),
    );
    const active = registry.add(
      new Counter({
        name: "mailroll_event_loop_active_seconds",
        unit: "seconds",
        help: "Time in which the event loop had something to do.",
      }),
    );
    const cpu = registry.add(
      new Counter({
        name: "process_cpu_seconds",
        unit: "seconds",
        help: "Processor time, of the system and of all threads included.",
      }),
    );
    const resident = registry.add(
      new Gauge({ name: "process_resident_memory_bytes", unit: "bytes", help: "Memory in use." }),
    );
    const heap = registry.add(
      new Gauge({ name: "mailroll_heap_bytes", unit: "bytes", help: "Memory in use by JavaScript objects." }),
    );
    const started = registry.add(
      new Gauge(
        {
          name: "process_start_time_seconds",
          unit: "seconds",
          help: "When it started, the latest of several processes; in seconds since 1970.",
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

  /**
   * A histogram of our own: that of `monitorEventLoopDelay` has to be reset to tell of today, so two who ask would take
   * from each other, and it cannot be added up over processes. Gives back how to stop.
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
