/**
 * Detects programs that read the WSDL again for every call, or nearly so: within a day, at least five reads,
 * and one for at least every second call. That makes each call twice as slow; a cache of the client that is
 * off is the usual reason. Calls and reads are matched as `reads.ts` does. With several workers, each
 * sees a share of both, and compares these.
 */
import { detached } from "#soap/request/detached.ts";
import { followedBy, keyOf, printable } from "./reads.ts";
import type { Caller } from "./recent-calls.ts";

export const MAX_CLIENTS = 1000;
export const MAX_PROGRAMS_OF_CLIENT = 20;
const WINDOW_MS = 86_400_000;
const FEWEST_READS = 5;
const CALLS_PER_READ = 2;

interface Window {
  readonly since: number;
  reads: number;
  calls: number;
}

export class WsdlFrequency {
  readonly #clock: () => number;
  /** By client, the least recent reader first; then by program, as far as the read names one. */
  readonly #clients = new Map<string, Map<string, Window>>();

  /** Monotonic, in milliseconds. */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#clients.size;
  }

  read({ client, userAgent }: Caller): void {
    const key = keyOf(client, printable(userAgent ?? ""));
    const programs = this.#clients.get(client) ?? new Map<string, Window>();
    const open = this.#windowOf(programs, key);
    if (open !== undefined) open.reads += 1;
    else if (programs.size < MAX_PROGRAMS_OF_CLIENT)
      programs.set(detached(key), { since: this.#clock(), reads: 1, calls: 0 });
    this.#clients.delete(client);
    this.#clients.set(detached(client), programs);
    if (this.#clients.size <= MAX_CLIENTS) return;
    for (const oldest of this.#clients.keys()) {
      this.#clients.delete(oldest);
      return;
    }
  }

  /** Whether the caller reads the WSDL too often. Most callers have not read it at all: one lookup. */
  called(caller: Caller): boolean {
    const programs = this.#clients.get(caller.client);
    if (programs === undefined) return false;
    let isOften = false;
    for (const key of new Set(followedBy(caller))) {
      const window = this.#windowOf(programs, key);
      if (window === undefined) continue;
      window.calls += 1;
      if (window.reads >= FEWEST_READS && window.reads * CALLS_PER_READ >= window.calls) isOften = true;
    }
    if (programs.size === 0) this.#clients.delete(caller.client);
    return isOften;
  }

  /** A window that is over is dropped. */
  #windowOf(programs: Map<string, Window>, key: string): Window | undefined {
    const window = programs.get(key);
    if (window === undefined || this.#clock() - window.since < WINDOW_MS) return window;
    programs.delete(key);
    return undefined;
  }
}
