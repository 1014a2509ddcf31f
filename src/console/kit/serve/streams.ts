/**
 * Server-sent events. A comment every 15 seconds keeps the connection open, and finds out whether the client
 * and the session are still there. The number of streams is limited, in a process and of a user: a
 * user who opens many pages must neither keep others from seeing theirs live nor be kept from sending forms.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Fault, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import type { UserId } from "#domain/access/user.ts";
import { endFlight } from "#http/route-requests.ts";
import { whenClosed } from "#http/when-closed.ts";
import type { ServerEvent } from "../page.ts";

export const MAX_STREAMS = 128;
/**
 * A browser opens at most six connections to a host over HTTP/1.1, and a stream holds one: with six of them,
 * no form is sent any more. Four leave two. They are counted per user and not per browser, because one number
 * protects the others from this user as well. Whoever uses two browsers loses little: only visible pages have
 * a stream, and a page without one is fetched every three seconds. Each process has its own count.
 */
export const MAX_STREAMS_OF_USER = 4;
const HEARTBEAT_MS = 15_000;

export interface StreamOptions {
  readonly user: UserId;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the user is still signed in; throws if the page is not for the user any more. */
  readonly isAllowed: () => Promise<boolean>;
  readonly events: (signal: AbortSignal) => AsyncIterable<ServerEvent>;
}

const tooMany = (reason: string): Fault =>
  new Fault("Throttled", `${reason} Reload this page to see its progress.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

/** A line break in the data begins a new line of data; carriage returns would, too. */
const textOf = ({ event, data }: ServerEvent): string =>
  `${event === undefined ? "" : `event: ${event}\n`}${data
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join("")}\n`;

export class Streams {
  readonly #heartbeatMs: number;
  readonly #closing: AbortSignal;
  #open = 0;
  readonly #ofUser = new Map<UserId, number>();

  /** `closing`: the service stops. */
  constructor(closing: AbortSignal, heartbeatMs = HEARTBEAT_MS) {
    this.#closing = closing;
    this.#heartbeatMs = heartbeatMs;
  }

  get open(): number {
    return this.#open;
  }

  /** Returns when the stream has ended. Throws Throttled. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { user, headers, isAllowed, events }: StreamOptions,
  ): Promise<void> {
    const ofUser = this.#ofUser.get(user) ?? 0;
    if (this.#open >= MAX_STREAMS) throw tooMany("Too many pages show live progress.");
    if (ofUser >= MAX_STREAMS_OF_USER)
      throw tooMany(`You have ${MAX_STREAMS_OF_USER} pages open that show live progress.`);
    this.#open += 1;
    this.#ofUser.set(user, ofUser + 1);
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const signal = AbortSignal.any([ending.signal, this.#closing]);
    reply.hijack();
    endFlight(request);
    const { raw } = reply;
    const { socket } = raw.req;
    const stopWaiting = whenClosed(socket, end);
    // The page was left. Others may close their side and wait for a response; this one has no end.
    socket.once("end", end);
    const heartbeat = setInterval(() => {
      raw.write(":\n\n");
      void isAllowed().then((isStill) => (isStill ? undefined : end()), end);
    }, this.#heartbeatMs);
    try {
      raw.writeHead(200, { ...headers, "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
      raw.write(":\n\n");
      await this.#write(raw, events(signal), signal);
    } finally {
      clearInterval(heartbeat);
      stopWaiting();
      socket.off("end", end);
      raw.end();
      this.#open -= 1;
      const left = (this.#ofUser.get(user) ?? 0) - 1;
      if (left > 0) this.#ofUser.set(user, left);
      else this.#ofUser.delete(user);
    }
  }

  async #write(
    raw: FastifyReply["raw"],
    events: AsyncIterable<ServerEvent>,
    signal: AbortSignal,
  ): Promise<void> {
    const aborted = new Promise<"ended">((resolve) => {
      if (signal.aborted) resolve("ended");
      signal.addEventListener("abort", () => resolve("ended"), { once: true });
    });
    const source = events[Symbol.asyncIterator]();
    while (true) {
      const next = source.next();
      const found = await Promise.race([next, aborted]);
      if (found === "ended") {
        // It may be waiting for something else; it learns from the signal that the browser is gone.
        void next.then(() => source.return?.()).catch(() => {});
        return;
      }
      if (found.done === true) return;
      await Promise.race([
        new Promise<void>((sent) => raw.write(textOf(found.value), () => sent())),
        aborted,
      ]);
    }
  }
}
