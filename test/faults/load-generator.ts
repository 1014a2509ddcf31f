/**
 * A load generator: very many connections that add subscribers, over raw sockets, which cost far less than
 * the service. The result of every call is recorded.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { KEY } from "../service.ts";

const STEP_MS = 2;
/** The accept queue of the server is short. */
const OPENED_AT_ONCE = 200;
const SILENCE_MS = 60_000;

const RETRY_AFTER = /\r\nRetry-After: ([1-9]\d*)\r\n/i;

export type Outcome = "done" | "throttled";

/** The durations of calls in milliseconds, by outcome. */
export interface Result extends Readonly<Record<Outcome, readonly number[]>> {
  readonly seconds: number;
  /** Calls that no connection was free to make. */
  readonly unmade: number;
}

interface Caller {
  readonly socket: Socket;
  /** Calls without an answer so far, oldest first. */
  readonly waiting: { readonly n: number; readonly since: number }[];
  text: string;
}

export const addressOf = (n: number): string => `crowd${n}@example.org`;

export class LoadGenerator {
  /** Outcomes by the number in the address. */
  readonly outcomes: (Outcome | undefined)[] = [];
  readonly #origin: string;
  #callers: Caller[] = [];
  #made = 0;
  #unanswered = 0;
  #problem: string | null = null;
  #taken: Record<Outcome, number[]> = { done: [], throttled: [] };
  #onAnswer: (caller: Caller, retryAfterMs: number) => void = () => {};

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Each caller sends its next call as soon as it is answered. */
  steady(callers: number, ms: number): Promise<Result> {
    return this.#measured(callers, async (chosen) => {
      const until = performance.now() + ms;
      this.#onAnswer = (caller) => {
        if (performance.now() < until) this.#call(caller);
      };
      for (const caller of chosen) this.#call(caller);
      await delay(ms);
      return 0;
    });
  }

  /**
   * A fixed rate of calls, however long the others take. Each call uses an idle connection, if there is one.
   * A rejected connection pauses for its Retry-After.
   */
  rush(callers: number, perSecond: number, ms: number): Promise<Result> {
    return this.#measured(callers, async (chosen) => {
      const free = [...chosen];
      this.#onAnswer = (caller, retryAfterMs) => {
        if (retryAfterMs === 0) free.push(caller);
        else setTimeout(() => free.push(caller), retryAfterMs).unref();
      };
      let unmade = 0;
      let asked = 0;
      const began = performance.now();
      for (let passed = 0; passed < ms && this.#problem === null; passed = performance.now() - began) {
        for (const due = (passed * perSecond) / 1000; asked < due; asked += 1) {
          const caller = free.shift();
          if (caller === undefined) unmade += 1;
          else this.#call(caller);
        }
        await delay(STEP_MS);
      }
      return unmade;
    });
  }

  /** All callers send one call at the same moment. */
  burst(callers: number): Promise<Result> {
    return this.#measured(callers, async (chosen) => {
      this.#onAnswer = () => {};
      for (const caller of chosen) this.#call(caller);
      return 0;
    });
  }

  close(): void {
    for (const { socket } of this.#callers) socket.removeAllListeners("close").destroy();
  }

  async #measured(callers: number, work: (chosen: readonly Caller[]) => Promise<number>): Promise<Result> {
    // The server has closed idle connections.
    this.#callers = this.#callers.filter(isConnected);
    while (this.#callers.length < callers) {
      const count = Math.min(OPENED_AT_ONCE, callers - this.#callers.length);
      this.#callers.push(...(await Promise.all(Array.from({ length: count }, () => this.#open()))));
    }
    this.#taken = { done: [], throttled: [] };
    const began = performance.now();
    const unmade = await work(this.#callers.slice(0, callers));
    await this.#answered();
    return { ...this.#taken, unmade, seconds: (performance.now() - began) / 1000 };
  }

  async #answered(): Promise<void> {
    const until = performance.now() + SILENCE_MS;
    while (this.#unanswered > 0 && this.#problem === null && performance.now() < until) await delay(STEP_MS);
    if (this.#problem !== null) throw new Error(this.#problem);
    if (this.#unanswered > 0)
      throw new Error(`${this.#unanswered} calls were not answered within ${SILENCE_MS / 1000} s`);
  }

  #open(): Promise<Caller> {
    return new Promise((resolve, reject) => {
      const { port } = new URL(this.#origin);
      const socket = connect(Number(port), "127.0.0.1", () => resolve(caller));
      const caller: Caller = { socket, waiting: [], text: "" };
      socket.setNoDelay(true);
      socket.on("data", (chunk) => this.#read(caller, chunk.toString("latin1")));
      socket.on("error", (error) => {
        this.#problem ??= error.message;
        reject(error);
      });
      socket.on("close", () => {
        if (caller.waiting.length > 0)
          this.#problem ??= `a connection ended with ${caller.waiting.length} calls not answered`;
      });
    });
  }

  #call({ socket, waiting }: Caller): void {
    const n = this.#made;
    this.#made += 1;
    this.#unanswered += 1;
    const origin = this.#origin;
    const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Subscriber.Add xmlns="${origin}"><APIKey>${KEY}</APIKey><SubscribersListID>1</SubscribersListID><EMail>${addressOf(n)}</EMail></Subscriber.Add></e:Body></e:Envelope>`;
    waiting.push({ n, since: performance.now() });
    socket.write(
      `POST /default.asmx HTTP/1.1\r\nHost: ${new URL(origin).host}\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      "latin1",
    );
  }

  #read(caller: Caller, more: string): void {
    let text = caller.text + more;
    for (;;) {
      const end = text.indexOf("\r\n\r\n") + 4;
      if (end < 4) break;
      const length = Number(/\r\nContent-Length: (\d+)\r\n/i.exec(text)?.[1]);
      if (text.length < end + length) break;
      this.#note(caller, text.slice(0, end + length));
      text = text.slice(end + length);
    }
    caller.text = text;
  }

  #note(caller: Caller, answer: string): void {
    const call = caller.waiting.shift();
    const outcome = outcomeOf(answer);
    if (call === undefined || outcome === null) {
      this.#problem ??= `a call was answered with ${answer}`;
      return;
    }
    this.#unanswered -= 1;
    this.outcomes[call.n] = outcome;
    this.#taken[outcome].push(performance.now() - call.since);
    this.#onAnswer(caller, 1000 * Number(RETRY_AFTER.exec(answer)?.[1] ?? 0));
  }
}

const isConnected = ({ socket }: Caller): boolean => !socket.destroyed;

/** null if an overloaded service may not give this answer. */
function outcomeOf(answer: string): Outcome | null {
  if (answer.startsWith("HTTP/1.1 200 ") && answer.includes("<Subscriber.AddResult>0<")) return "done";
  const isTurnedAway =
    answer.startsWith("HTTP/1.1 503 ") &&
    answer.includes("<code>Throttled</code>") &&
    RETRY_AFTER.test(answer);
  return isTurnedAway ? "throttled" : null;
}
