/**
 * What happens to every request that fastify routes before its handler runs: the body is read or discarded,
 * then admission control decides, then the body is parsed.
 *
 * A route declares its body by a JSON Schema (`schema.body`). It gets a parsed JSON body in `request.body`,
 * of at most `bodyLimit` bytes of the route and at most what the service accepts, with the types that the
 * schema declares: nothing is converted. A route that refuses bodies (`refusesBody`) gets it too, so that it
 * can say what is wrong. The body of every other request is discarded, whatever its Content-Type.
 */

import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest, FastifySchema, FastifyServerOptions } from "fastify";
import Fastify from "fastify";
import { Fault } from "#contract/faults.ts";
import {
  type Body,
  BodyAborted,
  type BodyReader,
  type Chunks,
  closeAfterResponse,
  lengthOf,
} from "./body/body.ts";
import { parseJson } from "./body/parse-json.ts";
import { ClientAddresses } from "./client-address.ts";
import { type ErrorReplies, plainReplies } from "./not-found.ts";
import { sendWhole } from "./send.ts";

/** fastify with what every routed request gets: a limited body, admission control, and a header. */
export const NO_SNIFFING = ["X-Content-Type-Options", "nosniff"] as const;

/** Without `serverFactory` it does not listen: its `routing` is called with requests, when it is ready. */
export function newRouter(
  bodies: BodyReader,
  clients: ClientAddresses = new ClientAddresses([]),
  {
    errorReplies = plainReplies,
    ...options
  }: Pick<FastifyServerOptions, "serverFactory" | "clientErrorHandler"> & {
    readonly errorReplies?: ErrorReplies;
  } = {},
): FastifyInstance {
  const fastify = Fastify({
    ...options,
    forceCloseConnections: "idle",
    bodyLimit: ROUTE_BODY_LIMIT,
    // Routes are added in turns with the work of a server that may be busy.
    pluginTimeout: 0,
    // JSON has types: fastify would turn null into an empty text, and drop what a schema does not allow.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    // If the URL cannot be parsed, fastify runs no hooks.
    frameworkErrors: (_error, request, { raw }) =>
      void bodies.discard(request.raw).then(() => {
        closeAfterResponse(raw, request.raw);
        const { headers, text } = errorReplies.badUrl(request.raw);
        sendWhole(raw, 400, { ...headers }, text);
      }),
  });
  fastify.addHook("onSend", async (_request, reply) => {
    reply.header(...NO_SNIFFING);
  });
  admitRoutes(fastify, bodies, clients, errorReplies);
  return fastify;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** A health check or metrics: exempt from admission control. */
    readonly isProbe?: boolean;
    /** Runs before the body is read, and may refuse the request by throwing an error. */
    readonly before?: (request: FastifyRequest) => Promise<void>;
    /** The body is any bytes; the route gets them as a Buffer. */
    readonly takesBytes?: boolean;
    /** The route takes no body. If there is one, also with a GET, it is in `flight.value`. */
    readonly refusesBody?: boolean;
  }
  interface FastifyRequest {
    flight: Flight | null;
  }
}

/** In bytes, for routes that do not say otherwise. JSON is parsed in one go. */
export const ROUTE_BODY_LIMIT = 64 * 1024;

/** A routed request from the end of its body until its response is made. */
class Flight {
  /** The parsed body, which fastify takes from here. */
  value: unknown = undefined;
  readonly #bodies: BodyReader;
  #body: Body | null = null;
  #isInFlight = false;

  constructor(bodies: BodyReader) {
    this.#bodies = bodies;
  }

  async read(request: IncomingMessage, limit: number): Promise<Body> {
    this.#body = await this.#bodies.read(request, limit);
    return this.#body;
  }
  enter(): void {
    this.#bodies.admission.enter();
    this.#isInFlight = true;
  }
  end(): void {
    if (this.#isInFlight) this.#bodies.admission.leave();
    this.#isInFlight = false;
    this.#body?.release();
    this.#body = null;
  }
}

/** The response is made. Not called for a response that a handler sends itself, past fastify. */
export function endFlight(request: FastifyRequest): void {
  request.flight?.end();
}

/**
 * The path of a route, for the log, as it is documented: fastify doubles a colon that begins no parameter.
 * null: no route has the path.
 */
export const routeOf = ({ routeOptions }: FastifyRequest): string | null =>
  routeOptions.url?.replaceAll("::", ":") ?? null;

function admitRoutes(
  fastify: FastifyInstance,
  bodies: BodyReader,
  clients: ClientAddresses,
  errorReplies: ErrorReplies,
): void {
  const admit = async (request: FastifyRequest, flight: Flight): Promise<void> => {
    const { raw, routeOptions } = request;
    let body: Body | null = null;
    try {
      await routeOptions.config.before?.(request);
    } catch (error) {
      await bodies.discard(raw);
      throw error;
    }
    if (readsBody(request)) body = await flight.read(raw, Math.min(routeOptions.bodyLimit, bodies.limit));
    else await bodies.discard(raw);
    if (routeOptions.config.isProbe !== true) flight.enter();
    if (body === null || lengthOf(body.chunks) === 0) return;
    const takesBytes = routeOptions.config.takesBytes === true;
    if (!takesBytes) requireJsonType(request);
    const encoding = raw.headers["content-encoding"];
    if (encoding !== undefined) await bodies.decompress(body, encoding, senderOf(raw, clients));
    flight.value = takesBytes ? Buffer.concat(body.chunks) : parseJson(textOf(body.chunks));
  };
  fastify.decorateRequest("flight", null);
  fastify.addHook("onRequest", async (request, reply) => {
    const flight = new Flight(bodies);
    request.flight = flight;
    try {
      await admit(request, flight);
      // fastify would refuse an invalid one, but a declared body is parsed by now and any other discarded.
      delete request.raw.headers["content-type"];
    } catch (error) {
      if (!(error instanceof BodyAborted)) throw error;
      // No client waits for a response.
      flight.end();
      reply.hijack();
      return;
    } finally {
      closeAfterResponse(reply.raw, request.raw);
    }
    if (!request.is404) return;
    const { headers, text } = errorReplies.notFound(request.raw);
    await reply.code(404).headers(headers).send(text);
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser("*", (request, _payload, done) => done(null, request.flight?.value));
  fastify.addHook("onSend", async (request) => endFlight(request));
}

const readsBody = ({ routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.refusesBody === true ||
  (routeOptions.schema as FastifySchema | undefined)?.body !== undefined;

const senderOf = (request: IncomingMessage, clients: ClientAddresses) => ({
  client: clients.of(request),
  get isGone() {
    return request.socket.destroyed;
  },
});

function requireJsonType({ headers }: FastifyRequest): void {
  const given = headers["content-type"];
  if (given !== undefined && /^\s*application\/json\s*(?:;|$)/i.test(given)) return;
  const shown = given === undefined ? "none was given" : `"${given.slice(0, 200)}" was given`;
  throw new Fault("UnsupportedMediaType", `The Content-Type must be application/json; ${shown}.`);
}

function textOf(chunks: Chunks): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode();
  } catch {
    throw new Fault("InvalidMessage", "The body is not valid UTF-8.");
  }
}
