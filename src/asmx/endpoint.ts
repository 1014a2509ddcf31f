/**
 * The endpoint: SOAP by POST on its paths, ignoring case and doubled slashes; `description.ts` serves other
 * methods. It reads bytes and sends replies; the dispatcher interprets them. SOAP that is posted to another
 * path gets a fault that names the right address.
 */

import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { AccountRef, ListSlot } from "#admission/list-slots.ts";
import { Fault } from "#contract/faults.ts";
import type { Handlers, Service } from "#contract/service.ts";
import { type Body, BodyAborted, type BodyReader, closeAfterResponse } from "#http/body/body.ts";
import { sendChunks, sendWhole } from "#http/send.ts";
import { Dispatcher, type OnDefect, type Reply, type SoapCaller } from "#soap/dispatch.ts";
import { CallerGone } from "#soap/request/caller-gone.ts";
import { isSoapType, type MediaType, parseMediaType, requireSoapType } from "#soap/request/media-type.ts";
import { type Addresses, targetOf } from "./addresses.ts";
import { Description, type DescriptionObserver } from "./description.ts";

/**
 * Pipelined calls of one connection take effect in their order (RFC 9112 §9.3.2), however long each takes to
 * be read. Otherwise later calls would overtake a large or compressed one.
 */
class CallOrder {
  /** The last call of each connection that is being served. */
  readonly #last = new WeakMap<Socket, Promise<unknown>>();

  /** `serve` gets a promise to await before it executes the call; usually undefined: nothing to wait for. */
  async run<Result>(
    socket: Socket,
    serve: (before: Promise<unknown> | undefined) => Promise<Result>,
  ): Promise<Result> {
    const serving = serve(this.#last.get(socket)?.catch(() => {}));
    this.#last.set(socket, serving);
    try {
      return await serving;
    } finally {
      if (this.#last.get(socket) === serving) this.#last.delete(socket);
    }
  }
}

/** A request and its caller, as far as the endpoint needs to know them; handlers get it too. */
export interface EndpointCall extends SoapCaller {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The account of an authenticated caller. Long lists are limited per account. */
  readonly account: AccountRef;
}
/** One served call, for the log. `broken`: the error that aborted a streamed response. */
export interface Served<Call> {
  readonly reply: Reply;
  readonly call: Call;
  readonly ms: number;
  readonly broken: unknown;
}
/** For logs and metrics. */
export interface EndpointObserver<Call> extends DescriptionObserver<Call> {
  /** A call was received, whatever its result. */
  posted(call: Call): void;
  served(served: Served<Call>): void;
}
interface EndpointOptions<S extends Service, Call extends EndpointCall> {
  readonly service: S;
  /** Further paths to serve it at, beside the service's own. */
  readonly paths: readonly string[];
  /** Whether something else is served at a path. */
  readonly isTaken: (path: string) => boolean;
  readonly handlers: Handlers<S, Call>;
  readonly addresses: Addresses;
  readonly bodies: BodyReader;
  readonly observer: EndpointObserver<Call>;
  readonly onDefect: OnDefect;
}

/** Longer paths are cut off in messages. */
const MAX_SHOWN_PATH = 200;

export class AsmxEndpoint<S extends Service, Call extends EndpointCall> {
  readonly #options: EndpointOptions<S, Call>;
  readonly #bodies: BodyReader;
  readonly #dispatcher: Dispatcher<Call>;
  readonly #description: Description<Call>;
  /** By requested path, in lower case. */
  readonly #paths: ReadonlyMap<string, string>;
  readonly #order = new CallOrder();

  constructor(options: EndpointOptions<S, Call>) {
    const { service, addresses, handlers, onDefect } = options;
    this.#options = options;
    this.#bodies = options.bodies;
    this.#dispatcher = new Dispatcher(service, { handlers: handlers as Handlers<Service, Call>, onDefect });
    // The first of two that differ in letter case only is the one that the WSDL names.
    const paths = [...options.paths.toReversed(), service.path];
    this.#paths = new Map(
      ["", addresses.prefix].flatMap((prefix) =>
        paths.map((path) => [`${prefix}${path}`.toLowerCase(), path] as const),
      ),
    );
    this.#description = new Description({ ...options, paths: [...this.#paths.values()] });
  }

  /** True if the request is for this endpoint. */
  handle(call: Call): boolean {
    const { method, url = "", headers } = call.request;
    const [given, query] = targetOf(url);
    // Some programs join a base address that ends with a slash and a path that begins with one.
    const path = this.#paths.get(given) ?? this.#paths.get(given.replace(/\/{2,}/g, "/").toLowerCase());
    const isPost = method === "POST";
    if (path !== undefined && !isPost) {
      void this.#description.answer(call, { path, query });
      return true;
    }
    if (!isPost) return false;
    const mediaType = parseMediaType(headers["content-type"] ?? "");
    // A POST with these headers is SOAP, whatever the path, unless the path belongs to something else.
    const isSoap = headers.soapaction !== undefined || isSoapType(mediaType);
    if (path === undefined && (!isSoap || this.#options.isTaken(given))) return false;
    this.#options.observer.posted(call);
    void this.#post(call, mediaType, path === undefined ? given : null);
    return true;
  }

  async #post(call: Call, mediaType: MediaType, unknownPath: string | null): Promise<void> {
    const started = performance.now();
    const { observer, onDefect } = this.#options;
    const { request, response } = call;
    let slot: ListSlot | null = null;
    try {
      let reply = await this.#order.run(request.socket, (before) =>
        this.#reply(call, mediaType, unknownPath, before),
      );
      if (!isWhole(reply.body))
        try {
          slot = this.#bodies.admission.takeListSlot(call.account);
        } catch (error) {
          // Which calls request long lists is known only after they have been executed.
          await close(reply.body);
          reply = { ...this.#refuse(call, mediaType, error), operation: reply.operation };
        }
      closeAfterResponse(response, request);
      const sent = send(response, reply, slot);
      const broken = sent === null ? null : await sent;
      observer.served({ reply, call, ms: performance.now() - started, broken });
    } catch (error) {
      if (error instanceof BodyAborted || error instanceof CallerGone) return;
      // Every failure of a call has become a reply, so this is an error of sending it.
      onDefect(error, null);
      response.destroy();
    } finally {
      slot?.release();
    }
  }

  /**
   * The checks before the message is read, in the order that is part of the interface: size, capacity, path,
   * media type. Executes nothing before `before` resolves. Throws BodyAborted and CallerGone.
   */
  async #reply(
    call: Call,
    mediaType: MediaType,
    unknownPath: string | null,
    before: Promise<unknown> | undefined,
  ): Promise<Reply> {
    const { request } = call;
    const { admission } = this.#bodies;
    let body: Body | null = null;
    let isInFlight = false;
    try {
      if (unknownPath === null) body = await this.#bodies.read(request);
      else await this.#bodies.discard(request);
      admission.enter();
      isInFlight = true;
      if (body === null) throw this.#unknownPath(request, unknownPath ?? "");
      if (before !== undefined) {
        await before;
        if (call.isGone) throw new CallerGone();
      }
      const { headers } = request;
      requireSoapType(mediaType, headers["content-type"]);
      const encoding = headers["content-encoding"];
      if (encoding !== undefined) await this.#bodies.decompress(body, encoding, call);
      const soapAction = headers.soapaction as string | undefined;
      const namespaces = this.#options.addresses.of(request);
      return await this.#dispatcher.respond({ mediaType, soapAction, chunks: body.chunks, namespaces }, call);
    } catch (error) {
      return this.#refuse(call, mediaType, error);
    } finally {
      if (isInFlight) admission.leave();
      body?.release();
    }
  }

  #unknownPath(request: IncomingMessage, path: string): Fault {
    const { addresses, service } = this.#options;
    const address = `${addresses.of(request).expected}${service.path}`;
    return new Fault(
      "UnknownPath",
      `There is no SOAP service at the path ${path.slice(0, MAX_SHOWN_PATH)}. Post to ${address}. If the program cannot be changed, the operator of this service can add its path to the setting MAILROLL_PATHS.`,
      { unknown: path },
    );
  }

  /** For a fault that was found before the message was read; throws everything else again. */
  #refuse(call: Call, mediaType: MediaType, error: unknown): Reply {
    if (!(error instanceof Fault)) throw error;
    return this.#dispatcher.refuse(mediaType, this.#options.addresses.of(call.request), error);
  }
}

/** A generator that has not started cannot be ended, and would keep its resources open. */
async function close(body: AsyncIterable<unknown>): Promise<void> {
  const chunks = body[Symbol.asyncIterator]();
  await chunks.next();
  await chunks.return?.();
}

const isWhole = (body: Reply["body"]): body is string | Uint8Array =>
  typeof body === "string" || body instanceof Uint8Array;

/** null if all of it was sent; for a list, a promise of the error that aborted it, or null. */
function send(response: ServerResponse, reply: Reply, slot: ListSlot | null): null | Promise<unknown> {
  const headers: OutgoingHttpHeaders = {
    "Content-Type": reply.version.contentType,
    "Cache-Control": "private, max-age=0",
  };
  if (reply.retryAfterSeconds !== null) headers["Retry-After"] = reply.retryAfterSeconds;
  if (isWhole(reply.body)) {
    sendWhole(response, reply.status, headers, reply.body);
    return null;
  }
  return sendChunks(response, reply.status, headers, reply.body, slot).then(
    () => null,
    (error: unknown) => error,
  );
}
