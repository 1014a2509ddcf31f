/**
 * The callers of the last two seconds. With several processes, a call may arrive at one process before the
 * news of the read that it follows. A call costs one entry of a ring buffer; only such news starts a search.
 */
export const MAX_CALLS = 1024;
const RECENT_MS = 2000;
/** Longer ones are not kept. */
const MAX_KEPT_USER_AGENT = 500;

export interface Caller {
  readonly client: string;
  /** As it was sent. */
  readonly userAgent: string | undefined;
}

export class RecentCalls {
  readonly #ring: { readonly caller: Caller; readonly at: number }[] = [];
  #next = 0;

  get size(): number {
    return this.#ring.length;
  }

  add(caller: Caller, at: number): void {
    if ((caller.userAgent?.length ?? 0) > MAX_KEPT_USER_AGENT) return;
    this.#ring[this.#next] = { caller, at };
    this.#next = (this.#next + 1) % MAX_CALLS;
  }

  some(now: number, client: string, isIt: (caller: Caller) => boolean): boolean {
    return this.#ring.some(
      ({ caller, at }) => now - at <= RECENT_MS && caller.client === client && isIt(caller),
    );
  }
}
