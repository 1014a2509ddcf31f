/**
 * Makes messages in a thread of its own, one request after the other, so that the event loop that answers
 * calls never waits for a template. Accounts take turns: an account with many requests delays another by one
 * of them. A request that takes too long or too much memory costs the thread, not the service: the next
 * request starts a new one.
 */

import { Worker } from "node:worker_threads";
import { SerialQueue } from "#admission/serial-queue.ts";
import type { AccountId } from "#domain/account.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import { threadModule } from "#shipped.ts";
import { watch } from "../threads/watchdog.ts";
import {
  type Answered,
  type MessageProblem,
  type MessageSource,
  READY,
  type RenderAnswer,
  type RenderedMessage,
  type Renderer,
  RendererBusy,
  type RenderRequest,
  TemplateProblem,
} from "./renderer.ts";

interface ThreadLimits {
  /** Of processor time, for one request. The thread waits for nothing, so it always uses some. */
  readonly requestMs: number;
  /** The problems of many messages are found in slices, between which other accounts have a turn. */
  readonly sliceMs: number;
  /** Of processor time, for all slices together. */
  readonly problemsMs: number;
  /** How many requests may wait. */
  readonly waiting: number;
  /** How many of them may be of one account. */
  readonly waitingPerAccount: number;
  readonly heapMb: number;
  /** The thread ends if it was not used for so long. */
  readonly idleMs: number;
}
const usual: ThreadLimits = {
  ...{ requestMs: 3000, sliceMs: 500, problemsMs: 10_000, idleMs: 60_000 },
  ...{ waiting: 64, waitingPerAccount: 8, heapMb: 256 },
};

const entry = threadModule("delivery/previews/render-thread.ts");

export function threadedRenderer(given: Partial<ThreadLimits> = {}): Renderer {
  const limits = { ...usual, ...given };
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  const queue = new SerialQueue();
  let waiting = 0;
  const waitingOf = new Map<AccountId, number>();
  let isClosed = false;

  const drop = async (): Promise<void> => {
    const ended = worker;
    worker = null;
    await ended?.terminate();
  };

  async function started(): Promise<Worker> {
    if (worker !== null) return worker;
    const made = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: limits.heapMb } });
    // Between two requests there is no listener, and an error without a listener would end the process.
    made.on("error", () => {});
    made.on("exit", () => {
      if (worker === made) worker = null;
    });
    worker = made;
    const said = await once(made);
    if (said !== READY) throw await failure(said);
    made.unref();
    return made;
  }

  async function failure(why: unknown): Promise<TemplateProblem> {
    await drop();
    return contentFault(typeof why === "string" ? why : "the thread that makes messages failed");
  }

  async function ask(request: RenderRequest): Promise<Answered> {
    if (isClosed) throw new RendererBusy("the service is stopping");
    clearTimeout(idle);
    const thread = await started();
    thread.ref();
    thread.postMessage(request);
    const answer = await once(thread, limits.requestMs);
    thread.unref();
    if (typeof answer === "string") throw await failure(answer);
    idle = setTimeout(() => void drop(), limits.idleMs);
    idle.unref();
    if ("value" in answer) return answer;
    const { faults, message, stack } = answer.error;
    if (faults !== null) throw new TemplateProblem(faults);
    const error = new Error(message);
    if (stack !== undefined) error.stack = stack;
    throw error;
  }

  async function queued(request: RenderRequest): Promise<Answered> {
    const { account } = request.source;
    const own = waitingOf.get(account) ?? 0;
    if (waiting >= limits.waiting || own >= limits.waitingPerAccount)
      throw new RendererBusy("too many messages are being made; try again in a few seconds");
    waiting += 1;
    waitingOf.set(account, own + 1);
    try {
      return await queue.run(String(account), () => ask(request));
    } finally {
      waiting -= 1;
      const left = (waitingOf.get(account) ?? 1) - 1;
      if (left === 0) waitingOf.delete(account);
      else waitingOf.set(account, left);
    }
  }

  async function problems(
    source: MessageSource,
    people: readonly MergeData[],
  ): Promise<readonly (readonly MessageProblem[])[]> {
    const found: (readonly MessageProblem[])[] = [];
    for (let leftMs = limits.problemsMs; leftMs > 0; ) {
      const rest = people.slice(found.length);
      // A slice takes longer than its time if its last message does.
      const { value, cpuMs } = await queued({ do: "problems", source, people: rest, forMs: limits.sliceMs });
      found.push(...(value as readonly (readonly MessageProblem[])[]));
      if (found.length === people.length) return found;
      leftMs -= cpuMs;
    }
    throw contentFault(tooLong(limits.problemsMs));
  }

  return {
    message: async (source, person, as) =>
      (await queued({ do: "message", source, person, as })).value as RenderedMessage,
    problems,
    close: async () => {
      isClosed = true;
      clearTimeout(idle);
      await drop();
    },
  };
}

const contentFault = (text: string): TemplateProblem => new TemplateProblem([{ about: "content", text }]);
const tooLong = (ms: number): string =>
  `it takes more than ${ms / 1000} seconds of processor time; make the templates simpler`;

/** The next message of the thread, or a text why there is none. `limitMs` is processor time. */
function once(thread: Worker, limitMs?: number): Promise<RenderAnswer | string> {
  return new Promise((resolve) => {
    const end = (result: RenderAnswer | string): void => {
      stop?.();
      thread.off("message", end).off("error", onError).off("exit", onExit);
      resolve(result);
    };
    const onError = (error: Error & { readonly code?: string }): void =>
      end(
        error.code === "ERR_WORKER_OUT_OF_MEMORY"
          ? "it needs too much memory; make the templates simpler"
          : `the thread that makes messages failed: ${error.message}`,
      );
    const onExit = (): void => end("the thread that makes messages ended");
    const stop =
      limitMs === undefined
        ? null
        : watch(thread, { limitMs, task: () => ({ count: 1 }), end: () => end(tooLong(limitMs)) });
    thread.on("message", end).on("error", onError).on("exit", onExit);
  });
}
