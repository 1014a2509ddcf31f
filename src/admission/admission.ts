/**
 * Admission control: one rule for every request, whether a SOAP call, a document, a JSON route or an unknown
 * path. A request is shed (503 with Retry-After, nothing done) when
 *
 * 1. it has a body over 4 KiB, and the bodies in memory leave no room for it; or
 * 2. its body is complete, and as many requests are in flight as can be answered in time; or
 * 3. connections have waited for over a second to be read. Then every second request is shed: shedding costs
 *    half as much as serving, so shedding all of them would leave no time to serve any.
 *
 * A long list is shed when it needs a slot and none is free, in total or for its account.
 *
 * Health checks and /metrics are exempt. They cost little, and a supervisor that gets no answer would restart
 * the process in the middle of the overload.
 *
 * A request is in flight from the end of its body until its response is made, so that slow clients take no
 * capacity from others. The calling module gets the fault, and decides in which form it is sent (SOAP fault,
 * JSON or text).
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Fault, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import { type Limits, limitsFor } from "./limits.ts";
import { type AccountRef, type ListSlot, ListSlots } from "./list-slots.ts";

// Limits how many requests are read in one iteration of the event loop. Under very many concurrent clients, a
// connection that has been answered is paused, and paused connections are resumed in order.
//
// Without this, libuv would read all clients before it does anything else: while more connections are ready
// than it polls at once (1,024), it polls again, up to 48 times. Meanwhile there are no timers, no new
// connections and no pages of listings, and the responses of the database wait behind all clients.

/** Pausing has a cost, so the limit is above what healthy installations reach. */
export const MAX_PER_ITERATION = 128;
/** If a connection stays paused for longer, the server is overloaded. */
export const MAX_PAUSE_MS = 1000;

interface Paused {
  readonly socket: Socket;
  readonly since: number;
}

class RequestScheduler {
  #arrived = 0;
  #isEnding = false;
  #isBehind = false;
  readonly #paused: Paused[] = [];
  readonly #clock: () => number;

  /** The clock returns milliseconds since any fixed time. */
  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Whether connections have been paused for too long: more requests arrive than can be served in time. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Counts a request, and pauses its connection after the response if there are too many. */
  arrived({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#arrived += 1;
    this.#endIteration();
    if (this.#arrived > MAX_PER_ITERATION || this.#paused.length > 0)
      response.once("close", () => {
        // A client that sent several requests at once is paused once for all of them.
        if (socket.isPaused()) return;
        socket.pause();
        this.#paused.push({ socket, since: this.#clock() });
        this.#endIteration();
      });
  }

  #endIteration(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      this.#arrived = 0;
      const next = this.#paused.splice(0, MAX_PER_ITERATION);
      this.#isBehind = this.#clock() - (next[0]?.since ?? Number.POSITIVE_INFINITY) > MAX_PAUSE_MS;
      for (const { socket } of next) socket.resume();
      if (this.#paused.length > 0 || this.#isBehind) this.#endIteration();
    });
  }
}

/** Bodies up to this size are always read: the number of connections limits them. */
export const SMALL_BODY = 4 * 1024;

/** Made once: shedding a request must cost less than serving it. */
const overloaded = new Fault(
  "Throttled",
  "The service has as many calls in hand as it can answer in time. Nothing was done. Try the same call again in a few seconds.",
  { retryAfterSeconds: RETRY_AFTER_SECONDS },
);
const tooManyLists = new Fault(
  "Throttled",
  "Too many long lists are being sent, by the service or to this account. No data was sent. Read the lists that you have already requested to their end, then try again.",
  { retryAfterSeconds: RETRY_AFTER_SECONDS },
);

export class Admission {
  readonly limits: Limits;
  readonly #scheduler: RequestScheduler;
  readonly #lists: ListSlots;
  #inFlight = 0;
  #bodyBytes = 0;
  #shedLast = false;
  /** Shed in total, by cause. */
  readonly shed = { calls: 0, bodies: 0, lists: 0 };

  /** The clock is monotonic, in milliseconds. */
  constructor(limits: Limits, clock: () => number = () => performance.now()) {
    this.limits = limits;
    this.#scheduler = new RequestScheduler(clock);
    this.#lists = new ListSlots(limits, clock);
  }

  /** With the limits of a service whose bodies may have that size. */
  static forBodies(bodyLimit: number): Admission {
    return new Admission(limitsFor(bodyLimit));
  }

  get inFlight(): number {
    return this.#inFlight;
  }
  get bodyBytes(): number {
    return this.#bodyBytes;
  }
  get lists(): number {
    return this.#lists.taken;
  }

  /** The head of a request has been read. To be called for every request, also for exempt ones. */
  arrived(request: IncomingMessage, response: ServerResponse): void {
    this.#scheduler.arrived(request, response);
  }

  /** Admits a request whose body is complete; it is in flight until `leave`. Throws Throttled. */
  enter(): void {
    this.#shedLast = this.#scheduler.isBehind && !this.#shedLast;
    if (this.#shedLast || this.#inFlight >= this.limits.inFlight) throw this.refuse("calls");
    this.#inFlight += 1;
  }

  /** The response is made; sending it may take as long as the client needs. */
  leave(): void {
    this.#inFlight -= 1;
  }

  /** Whether `more` bytes of a body, which is then `length` long, may be kept. If so they are counted. */
  keepBody(more: number, length: number): boolean {
    if (length > SMALL_BODY && this.#bodyBytes + more > this.limits.bodyBytes) return false;
    this.#bodyBytes += more;
    return true;
  }

  releaseBody(bytes: number): void {
    this.#bodyBytes -= bytes;
  }

  /** A slot for a long list of this account, until it is released. Throws Throttled. */
  takeListSlot(account: AccountRef): ListSlot {
    const slot = this.#lists.take(account);
    if (slot !== null) return slot;
    this.shed.lists += 1;
    throw tooManyLists;
  }

  /** Counts a request that is shed, and returns the fault to answer it with. */
  refuse(cause: "calls" | "bodies"): Fault {
    this.shed[cause] += 1;
    return overloaded;
  }
}
