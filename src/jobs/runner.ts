/**
 * Runs jobs in the background, a few at a time. Each runs step by step while this process holds its lease.
 * Every `serve` process has a runner; the leases decide which one runs a job. Independent of the kinds of
 * jobs.
 */
import type { Clock } from "#domain/clocks.ts";
import { errorText, type JobEnding, type JobId, LEASE_MS, type Lease, retryDelay } from "#domain/job/job.ts";
import type { Jobs } from "#domain/ports/jobs.ts";
import type { JobHandlers } from "./do-job.ts";
import { doJob } from "./do-job.ts";
import { isGone } from "./owner.ts";
import type { Sleep } from "./sleep.ts";

const MAX_RUNNING = 2;
/** After this time, a job that takes long lets waiting jobs go first. */
export const TURN_MS = 30_000;
/** How long an idle runner waits before it looks for work again. */
export const POLL_MS = 10_000;

export interface RunnerEvents {
  onEnded(lease: Lease, ending: JobEnding, ms: number): void;
  onFailed(lease: Lease, error: unknown, retryMs: number): void;
  /** Another process continues the job. */
  onLost(lease: Lease): void;
  /** The search for work succeeded. */
  onClaimed(): void;
  /** The search for work failed; it is repeated. */
  onClaimFailed(error: unknown): void;
}
export interface RunnerOptions {
  readonly jobs: Jobs;
  /** What this process does for the kinds that it does itself. */
  readonly works: Partial<JobHandlers>;
  readonly owner: string;
  /** The wall clock: leases are stored, and other nodes compare them with theirs. */
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly events: RunnerEvents;
}

export class JobRunner {
  readonly #options: RunnerOptions;
  readonly #running = new Map<JobId, Promise<void>>();
  readonly #stopping = new AbortController();
  /** Ends the pause of an idle runner. */
  #wake: () => void = () => {};
  #hasBegun = false;
  #loop: Promise<void> | null = null;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Looks for work now, because some was left to it. */
  wake(): void {
    this.#wake();
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Ends after the current step of each job, and gives the leases back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#loop;
    await Promise.all(this.#running.values());
    // If the database is away, the leases expire.
    await this.#options.jobs.release({ owner: this.#options.owner }).catch(() => null);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const woken = this.#paused();
      for (const lease of await this.#claim())
        this.#running.set(
          lease.id,
          this.#work(lease).finally(() => {
            this.#running.delete(lease.id);
            this.#wake();
          }),
        );
      await woken;
    }
  }

  /** Until it is time to look for work again, or a job has ended. */
  #paused(): Promise<void> {
    const pause = new AbortController();
    this.#wake = () => pause.abort();
    return this.#options.sleep(POLL_MS, AbortSignal.any([pause.signal, this.#stopping.signal]));
  }

  async #claim(): Promise<readonly Lease[]> {
    const { jobs, owner, clock, events } = this.#options;
    const limit = MAX_RUNNING - this.#running.size;
    if (limit === 0) return [];
    const now = clock();
    try {
      if (!this.#hasBegun) await this.#begin(now);
      const leases = await jobs.claim({ owner, now, until: now + LEASE_MS, limit });
      events.onClaimed();
      return leases;
    } catch (error) {
      events.onClaimFailed(error);
      return [];
    }
  }

  /** The jobs of processes that were killed on this machine need not wait until their leases expire. */
  async #begin(now: number): Promise<void> {
    const { jobs } = this.#options;
    await jobs.ensurePeriodic({ now });
    for (const owner of await jobs.owners()) if (isGone(owner)) await jobs.release({ owner });
    this.#hasBegun = true;
  }

  async #work(lease: Lease): Promise<void> {
    const { jobs, works, clock, events } = this.#options;
    const began = performance.now();
    const endOfTurn = clock() + TURN_MS;
    const turn = new AbortController();
    let current = lease;
    const onStep = (): void => {
      // As in the database: a step that succeeded ends the failures before it.
      current = { ...lease, attempts: 0 };
      if (clock() >= endOfTurn) turn.abort();
    };
    const signal = AbortSignal.any([this.#stopping.signal, turn.signal]);
    try {
      const outcome = await doJob({ jobs, works, clock, signal, onStep }, lease);
      if (outcome === "lost") events.onLost(lease);
      else if (outcome !== "continues") events.onEnded(lease, outcome, performance.now() - began);
      // The jobs that have been due the longest are claimed first.
      else if (turn.signal.aborted) await jobs.handBack({ ...lease, dueAt: clock() });
    } catch (error) {
      events.onFailed(current, error, retryDelay(current.attempts + 1, lease.kind));
      // If this fails too, the lease expires.
      await jobs.fail({ ...lease, now: clock(), error: errorText(error) }).catch(() => null);
    }
  }
}
