/**
 * Requests to the service that a pull reads from. What comes back is bounded before anything looks at it, a
 * redirect is not followed, because the secret would go with it, and what fails for a moment is repeated.
 */
import { setTimeout as delay } from "node:timers/promises";

/** Why nothing can be taken from the other service: a sentence for the person who wants it. */
export class PullFailed extends Error {
  override readonly name = "PullFailed";
}

const MAX_BYTES = 32 * 1024 ** 2;
const TIMEOUT_MS = 60_000;
const PAUSES_MS = [1000, 2000, 4000, 8000, 15_000];
const LONGEST_PAUSE_MS = 60_000;
/** Of what the other service says about an error. */
const SHOWN = 300;

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);

/** Returns the address, or why it cannot be used. */
export function parseAddress(text: string, allowsHttp: boolean): URL | string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:"))
    return "is not an address that begins with https:// or http://";
  if (url.username !== "" || url.password !== "")
    return "must not contain a user or a password: other users of the machine see the arguments of programs";
  if (url.search !== "" || url.hash !== "") return "must have nothing from ? or # on, such as ?wsdl";
  if (url.protocol === "http:" && !allowsHttp && !isLoopback(url.hostname))
    return "is not encrypted, so everybody on the way could read the secret and the addresses; use https, or give --insecure-http if nobody else is in this network";
  return url;
}

export interface RemoteEvents {
  readonly signal: AbortSignal;
  /** A request failed and is repeated after a pause. */
  readonly onRetry: (problem: string, pauseMs: number) => void;
}
interface Request {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent with POST. */
  readonly body?: string;
  /** Of the answer, if it may be longer than usual. */
  readonly maxBytes?: number;
}
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}
/** A request that may succeed if it is repeated. */
class Passing extends Error {
  readonly afterMs: number;
  constructor(message: string, afterMs = 0) {
    super(message);
    this.afterMs = afterMs;
  }
}

const isServerError = (status: number): boolean => status === 429 || (status >= 500 && status !== 501);

export class Remote {
  readonly #events: RemoteEvents;
  readonly #pausesMs: readonly number[];

  constructor(events: RemoteEvents, pausesMs: readonly number[] = PAUSES_MS) {
    this.#events = events;
    this.#pausesMs = pausesMs;
  }

  /** `isAnswer`: the statuses whose body says what happened. Any other is an error. */
  async send(
    url: URL,
    request: Request,
    isAnswer: (status: number) => boolean = (status) => status === 200,
  ): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#attempt(url, request, isAnswer);
      } catch (error) {
        this.#events.signal.throwIfAborted();
        if (!(error instanceof Passing)) throw error;
        const pause = this.#pausesMs[attempt];
        if (pause === undefined)
          throw new PullFailed(`${error.message}; gave up after ${attempt + 1} attempts`, { cause: error });
        const ms = Math.min(LONGEST_PAUSE_MS, Math.max(pause, error.afterMs));
        this.#events.onRetry(error.message, ms);
        await delay(ms, undefined, { signal: this.#events.signal });
      }
    }
  }

  async #attempt(
    url: URL,
    { headers, body, maxBytes = MAX_BYTES }: Request,
    isAnswer: (status: number) => boolean,
  ): Promise<Answer> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const signal = AbortSignal.any([timeout, this.#events.signal]);
    const how = body === undefined ? { method: "GET" } : { method: "POST", body };
    try {
      const response = await fetch(url, { ...how, headers, redirect: "manual", signal });
      const { status } = response;
      const found = { status, body: await bodyOf(response, url, maxBytes) };
      if (isAnswer(status)) return found;
      throw failureOf(response, found, url);
    } catch (error) {
      if (error instanceof PullFailed || error instanceof Passing) throw error;
      if (timeout.aborted) throw new Passing(`${url.host} did not answer within ${TIMEOUT_MS / 1000} s`);
      throw networkFailure(error as Error, url);
    }
  }
}

async function bodyOf({ body }: Response, { host }: URL, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes)
      throw new PullFailed(`${host} answered with more than ${maxBytes / 1024 ** 2} MiB at once`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failureOf({ headers }: Response, { status, body }: Answer, url: URL): Error {
  const where = `${url.origin}${url.pathname}`;
  if (status >= 300 && status < 400) {
    const to = URL.parse(headers.get("location") ?? "", url.href);
    const advice =
      to === null ? "" : ` to ${to.origin}${to.pathname}; if that is the right place, give that address`;
    return new PullFailed(`${where} redirects${advice}. A redirect is not followed with the secret`);
  }
  const says = saidIn(body);
  if (status === 401 || status === 403)
    return new PullFailed(`${where} refused the user, the secret or what they may see (${status})${says}`);
  if (isServerError(status)) {
    const seconds = Number(headers.get("retry-after"));
    return new Passing(`${where} answered with status ${status}${says}`, seconds > 0 ? seconds * 1000 : 0);
  }
  const advice = status === 404 ? "; is this the address of the service?" : "";
  return new PullFailed(`${where} answered with status ${status}${says}${advice}`);
}

/** The message of a service that explains its errors as JSON. */
function saidIn(body: Buffer): string {
  try {
    const { message } = JSON.parse(body.toString()) as { readonly message?: unknown };
    if (typeof message !== "string") return "";
    return `: ${message.slice(0, SHOWN).replaceAll(/\p{Cc}+/gu, " ")}`;
  } catch {
    return "";
  }
}

/** An invalid certificate or an unknown host stays what it is. */
const passing = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
]);

function networkFailure(error: Error, { host }: URL): Error {
  const cause = (error.cause ?? error) as NodeJS.ErrnoException;
  const { code = "" } = cause;
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "nothing answers there; is the service running, and is the port right?",
    ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak https at this port",
  };
  const reason = reasons[code] ?? (cause.message || code || error.message);
  const message = `${host} cannot be reached: ${reason}`;
  return passing.has(code) || code.startsWith("UND_ERR_") ? new Passing(message) : new PullFailed(message);
}
