/**
 * The endpoint: SOAP by POST on its paths, ignoring case; `description.ts` serves other methods. It reads
 * bytes and sends replies; the dispatcher interprets them. SOAP that is posted to another path gets a fault
 * that names the right address.
 */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Fault, tooManyLists } from "../contract/faults.ts";
import type { Handlers, Service } from "../contract/service.ts";
import {
  BodyAborted,
  BodyNotReadable,
  BodyTooLarge,
  closeAfterResponse,
  discardBody,
  inflateBody,
  NoRoomForBody,
  readBody,
} from "../http/body.ts";
import { type Chunks, lengthOf } from "../http/body-buffer.ts";
import type { ListPlace } from "../http/list-places.ts";
import type { Load } from "../http/load.ts";
import { sendChunks, sendWhole } from "../http/send.ts";
import { CallerGone } from "../soap/caller-gone.ts";
import { Dispatcher, type OnDefect, type Reply } from "../soap/dispatch.ts";
import type { Namespaces } from "../soap/document-reader.ts";
import { isSoapType, parseMediaType } from "../soap/media-type.ts";
import { SerialQueue } from "../soap/serial-queue.ts";
import type { Addresses } from "./addresses.ts";
import { CallOrder } from "./call-order.ts";
import { type Described, Description } from "./description.ts";
import { targetOf } from "./request-target.ts";
import { tooBusy } from "./too-busy.ts";

/** One served call, for the log. `broken`: a streamed response was aborted. */
export interface Served<Context> {
  readonly reply: Reply;
  readonly context: Context;
  readonly ms: number;
  readonly broken: unknown;
}
export interface EndpointOptions<S extends Service, Context> {
  readonly service: S;
  /** Further paths to serve it at, beside the service's own. */
  readonly paths: readonly string[];
  readonly handlers: Handlers<S, Context>;
  readonly addresses: Addresses;
  readonly bodyLimit: number;
  readonly load: Load;
  readonly newContext: (request: IncomingMessage) => Context;
  /** The account of a served call, null if it was not authenticated. Long lists are limited per account. */
  readonly accountOf: (context: Context) => number | bigint | string | null;
  /** The client, for fair scheduling. */
  readonly clientOf: (context: Context) => string;
  readonly onServed: (served: Served<Context>) => void;
  readonly onDescribed: (described: Described) => void;
  readonly onWsdlRead: (request: IncomingMessage) => void;
  /** A call was received, whatever its result. */
  readonly onPost: (request: IncomingMessage) => void;
  readonly onDefect: OnDefect;
}

/** Longer paths are cut off in messages. */
const MAX_SHOWN_PATH = 200;

/** Makes the reply to a call; executes nothing before `before` resolves. */
type Replying<Context> = (context: Context, before: Promise<unknown> | undefined) => Promise<Reply>;

export class AsmxEndpoint<S extends Service, Context> {
  readonly #options: EndpointOptions<S, Context>;
  readonly #dispatcher: Dispatcher<Context>;
  readonly #description: Description;
  /** By requested path, in lower case. */
  readonly #paths: ReadonlyMap<string, string>;
  readonly #load: Load;
  readonly #order = new CallOrder();
  /** A few compressed bytes may expand to the limit, and a thousand requests must not do so at once. */
  readonly #inflating = new SerialQueue();

  constructor(options: EndpointOptions<S, Context>) {
    const { service, addresses } = options;
    this.#options = options;
    this.#load = options.load;
    this.#dispatcher = new Dispatcher(service, {
      ...options,
      isKnownCaller: (context) => options.accountOf(context) !== null,
      handlers: options.handlers as Handlers<Service, Context>,
    });
    // The first of two that differ in letter case only is the one that the WSDL names.
    const paths = [...options.paths.toReversed(), service.path];
    this.#paths = new Map(
      ["", addresses.prefix].flatMap((prefix) =>
        paths.map((path) => [`${prefix}${path}`.toLowerCase(), path] as const),
      ),
    );
    this.#description = new Description({ ...options, paths: [...this.#paths.values()] });
  }

  /**
   * True if the request is for this endpoint. `isTooMuch`: the call is rejected because of overload.
   */
  handle(request: IncomingMessage, response: ServerResponse, isTooMuch = false): boolean {
    const [given, query] = targetOf(request.url ?? "");
    const path = this.#paths.get(given) ?? this.#paths.get(given.toLowerCase());
    if (path === undefined) {
      if (!isSoapPost(request)) return false;
      this.#options.onPost(request);
      void this.#post(request, response, () => this.#unknownPath(request, given));
    } else if (request.method === "POST") {
      this.#options.onPost(request);
      void this.#post(request, response, (context, before) =>
        this.#reply(request, response, context, isTooMuch, before),
      );
    } else void this.#description.answer(request, response, { path, query }, isTooMuch);
    return true;
  }

  async #post(request: IncomingMessage, response: ServerResponse, reply: Replying<Context>): Promise<void> {
    const started = performance.now();
    const { newContext, accountOf, onServed, onDefect } = this.#options;
    const context = newContext(request);
    let place: ListPlace | null = null;
    try {
      let made = await this.#order.run(request.socket, (before) => reply(context, before));
      if (!isWhole(made.body)) {
        place = this.#load.takeListPlace(accountOf(context));
        if (place === null) made = await this.#withoutPlace(request, made);
      }
      closeAfterResponse(response, request);
      const sent = send(response, made, place);
      const broken = sent === null ? null : await sent;
      onServed({ reply: made, context, ms: performance.now() - started, broken });
    } catch (error) {
      if (error instanceof BodyAborted || error instanceof CallerGone) return;
      // Every failure of a call has become a reply, so this is an error of sending it.
      onDefect(error, null);
      response.destroy();
    } finally {
      place?.leave();
    }
  }

  async #reply(
    request: IncomingMessage,
    response: ServerResponse,
    context: Context,
    isTooMuch: boolean,
    before: Promise<unknown> | undefined,
  ): Promise<Reply> {
    const { addresses, bodyLimit } = this.#options;
    const { headers } = request;
    const contentType = headers["content-type"];
    const namespaces: Namespaces = addresses.of(request);
    const load = this.#load;
    let raw: Chunks;
    try {
      raw = await readBody(request, bodyLimit, load);
    } catch (error) {
      if (error instanceof BodyTooLarge) return this.#refuse(request, tooLarge(bodyLimit));
      if (error instanceof NoRoomForBody) return this.#tooBusy(request, "bodies");
      throw error;
    }
    let held = lengthOf(raw);
    if (isTooMuch || !load.hasRoomForCall) {
      load.bytes -= held;
      return this.#tooBusy(request, "calls");
    }
    load.calls += 1;
    const isGone = (): boolean => response.destroyed || request.socket.destroyed;
    const clientOf = (): string => this.#options.clientOf(context);
    try {
      if (before !== undefined) {
        await before;
        if (isGone()) throw new CallerGone();
      }
      const encoding = headers["content-encoding"];
      const inflated =
        encoding === undefined
          ? null
          : async (): Promise<Chunks> => {
              const chunks = await this.#inflating.run(clientOf(), () =>
                inflate(raw, encoding, bodyLimit, isGone),
              );
              const length = lengthOf(chunks);
              if (!load.hasRoomFor(length, length)) {
                load.refused.bodies += 1;
                throw tooBusy;
              }
              held += length;
              load.bytes += length;
              return chunks;
            };
      const soapAction = headers.soapaction as string | undefined;
      const soapRequest = { contentType, soapAction, chunks: raw, inflated, namespaces, isGone, clientOf };
      return await this.#dispatcher.respond(soapRequest, context);
    } finally {
      load.calls -= 1;
      load.bytes -= held;
    }
  }

  /** The body is discarded. */
  async #unknownPath(request: IncomingMessage, path: string): Promise<Reply> {
    const { addresses, bodyLimit, service } = this.#options;
    await discardBody(request, bodyLimit);
    const address = `${addresses.of(request).expected}${service.path}`;
    return this.#refuse(
      request,
      new Fault(
        "UnknownPath",
        `There is no SOAP service at the path ${path.slice(0, MAX_SHOWN_PATH)}. Post to ${address}. If the program cannot be changed, the operator of this service can add its path to the setting MAILROLL_PATHS.`,
        { unknown: path },
      ),
    );
  }

  #tooBusy(request: IncomingMessage, noRoomFor: "calls" | "bodies"): Reply {
    this.#load.refused[noRoomFor] += 1;
    return this.#refuse(request, tooBusy);
  }

  #refuse(request: IncomingMessage, fault: Fault): Reply {
    const contentType = request.headers["content-type"];
    return this.#dispatcher.refuse({ contentType, namespaces: this.#options.addresses.of(request) }, fault);
  }

  /**
   * Which calls request long lists is known only after they have been read; an excess one is rejected then.
   */
  async #withoutPlace(request: IncomingMessage, { body, operation }: Reply): Promise<Reply> {
    const chunks = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    // A generator that has not started cannot be ended, and would keep its resources open.
    await chunks.next();
    await chunks.return?.();
    return { ...this.#refuse(request, tooManyLists), operation };
  }
}

/** A POST with these headers is SOAP, whatever the path. */
const isSoapPost = ({ method, headers }: IncomingMessage): boolean =>
  method === "POST" &&
  (headers.soapaction !== undefined || isSoapType(parseMediaType(headers["content-type"] ?? "")));

async function inflate(raw: Chunks, encoding: string, limit: number, isGone: () => boolean): Promise<Chunks> {
  try {
    return await inflateBody(raw, encoding, limit, isGone);
  } catch (error) {
    if (error instanceof BodyAborted) throw new CallerGone();
    if (error instanceof BodyTooLarge) throw tooLarge(limit);
    if (error instanceof BodyNotReadable) throw new Fault("InvalidMessage", error.message);
    throw error;
  }
}

const tooLarge = (limit: number): Fault =>
  new Fault("TooLarge", `The request is larger than ${limit} bytes, the limit of this service.`);

const isWhole = (body: Reply["body"]): body is string | Uint8Array =>
  typeof body === "string" || body instanceof Uint8Array;

/** null if all of it was sent; for a list, a promise of the error that aborted it, or null. */
function send(response: ServerResponse, reply: Reply, place: ListPlace | null): null | Promise<unknown> {
  const headers: OutgoingHttpHeaders = {
    "Content-Type": reply.version.contentType,
    "Cache-Control": "private, max-age=0",
  };
  if (reply.retryAfterSeconds !== null) headers["Retry-After"] = reply.retryAfterSeconds;
  if (isWhole(reply.body)) {
    sendWhole(response, reply.status, headers, reply.body);
    return null;
  }
  return sendChunks(response, reply.status, headers, reply.body, place).then(
    () => null,
    (error: unknown) => error,
  );
}
