/**
 * Makes messages in a thread of its own, one request after the other, so that the event loop that answers
 * calls never waits for a template. A request that takes too long or too much memory costs the thread, not
 * the service: the next request starts a new one.
 */
import { Worker } from "node:worker_threads";
import {
  type MessageProblem,
  READY,
  type RenderAnswer,
  type RenderedMessage,
  type Renderer,
  RendererBusy,
  type RenderRequest,
  TemplateProblem,
} from "./renderer.ts";

export interface ThreadLimits {
  /** Until the thread can answer. */
  readonly startMs: number;
  /** For one request. */
  readonly requestMs: number;
  /** How many requests may wait. */
  readonly waiting: number;
  readonly heapMb: number;
  /** The thread ends if nobody has used it for so long. */
  readonly idleMs: number;
}
const usual: ThreadLimits = { startMs: 30_000, requestMs: 10_000, waiting: 32, heapMb: 256, idleMs: 60_000 };

const entry = new URL("./render-thread.ts", import.meta.url);

export function threadedRenderer(given: Partial<ThreadLimits> = {}): Renderer {
  const limits = { ...usual, ...given };
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const drop = async (): Promise<void> => {
    const ended = worker;
    worker = null;
    await ended?.terminate();
  };

  async function started(): Promise<Worker> {
    if (worker !== null) return worker;
    const made = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: limits.heapMb } });
    // Between two requests nobody listens, and an error without a listener would end the process.
    made.on("error", () => {});
    made.on("exit", () => {
      if (worker === made) worker = null;
    });
    worker = made;
    const said = await once(made, limits.startMs);
    if (said !== READY) throw await failure(said);
    made.unref();
    return made;
  }

  async function failure(why: unknown): Promise<TemplateProblem> {
    await drop();
    return new TemplateProblem([typeof why === "string" ? why : "the thread that makes messages failed"]);
  }

  async function ask(request: RenderRequest): Promise<unknown> {
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
    if ("value" in answer) return answer.value;
    const { problems, message, stack } = answer.error;
    if (problems !== null) throw new TemplateProblem(problems);
    const error = new Error(message);
    if (stack !== undefined) error.stack = stack;
    throw error;
  }

  async function queued(request: RenderRequest): Promise<unknown> {
    if (waiting >= limits.waiting)
      throw new RendererBusy("too many messages are being made; try again in a few seconds");
    waiting += 1;
    const mine = last.then(() => ask(request));
    last = mine.catch(() => null);
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  }

  return {
    message: async (source, person, { isTest }) =>
      (await queued({ do: "message", source, person, isTest })) as RenderedMessage,
    problems: async (source, people) =>
      (await queued({ do: "problems", source, people })) as readonly (readonly MessageProblem[])[],
    close: async () => {
      isClosed = true;
      clearTimeout(idle);
      await drop();
    },
  };
}

/** The next message of the thread, or a text why there is none. */
function once(thread: Worker, ms: number): Promise<RenderAnswer | string> {
  return new Promise((resolve) => {
    const end = (result: RenderAnswer | string): void => {
      clearTimeout(timer);
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
    const timer = setTimeout(
      () => end(`it takes longer than ${ms / 1000} seconds; make the templates simpler`),
      ms,
    );
    thread.on("message", end).on("error", onError).on("exit", onExit);
  });
}
