/**
 * The HTTP or HTTPS server. fastify serves everything but the hot path, which a handler may take over before
 * routing. Slow clients are waited for; silent ones are disconnected. A graceful stop accepts no new
 * connections, finishes requests in flight within a time limit and closes idle connections.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { BodyReader } from "./body/body.ts";
import type { ClientAddresses } from "./client-address.ts";
import { type Connection, type ConnectionLimits, Connections, type Dropped } from "./connections.ts";
import { countedResponse } from "./counted-response.ts";
import type { LostReplies } from "./lost.ts";
import { limitHeaders, refusalOf, refuse } from "./request-head.ts";
import { NO_SNIFFING, newRouter } from "./router.ts";
import { type PemPair, tlsOptions } from "./tls/options.ts";
import { Unsent } from "./unsent.ts";

/** Returns true if the handler has taken the request. */
export type HotPath = (request: IncomingMessage, response: ServerResponse) => boolean;

/** How long a client may take. */
export interface Timeouts {
  /** For a whole request, and for its headers. */
  readonly requestMs: number;
  readonly headersMs: number;
  /** Between two requests. */
  readonly keepAliveMs: number;
  /**
   * Within a request, without a byte sent or received: the client has stopped reading, or is gone. The kernel
   * reports progress only when about a third of its send buffer (up to 4 MiB) is free, which takes more than
   * a minute at 20 kB/s. Unread responses are bounded in bytes, so waiting costs little.
   */
  readonly silenceMs: number;
  /** How often timeouts are checked. */
  readonly checkMs: number;
}
const defaultTimeouts: Timeouts = {
  requestMs: 60_000,
  headersMs: 20_000,
  keepAliveMs: 30_000,
  silenceMs: 120_000,
  checkMs: 5000,
};

export interface ServerOptions {
  readonly certificate?: PemPair | null;
  readonly timeouts?: Partial<Timeouts>;
  readonly connections?: ConnectionLimits;
  readonly clients?: ClientAddresses;
  /** For addresses that lead nowhere; otherwise plain text. */
  readonly lost?: LostReplies;
  /** Limits the bytes in memory for clients that do not read, over all connections. */
  readonly mostUnsent?: number;
  /** Called when a connection is closed because there are too many or because its client does not read. */
  readonly onDropped?: (why: Dropped | "unread") => void;
}

const noLimits: ConnectionLimits = {
  most: Number.POSITIVE_INFINITY,
  mostPerClient: Number.POSITIVE_INFINITY,
  clientOf: () => null,
};
const DRAIN_STEP_MS = 50;

export class HttpServer {
  readonly fastify: FastifyInstance;
  #server: Server | null = null;
  #connections: Connections | null = null;
  #isClosing = false;

  constructor(hotPath: HotPath, bodies: BodyReader, options: ServerOptions = {}) {
    this.fastify = newRouter(bodies, options.clients, {
      ...(options.lost === undefined ? {} : { lost: options.lost }),
      clientErrorHandler: refuseRequest,
      serverFactory: (route) => {
        const upgrading = new WeakSet<Socket>();
        const handle = (request: IncomingMessage, response: ServerResponse): void => {
          const { socket } = request;
          // A further request on a connection that has been closed.
          if (socket.destroyed) return;
          // After an upgrade request Node drops what it has already read, so the following bytes may start
          // anywhere. The connection ends with that response, and nothing else is read from it.
          if (upgrading.has(socket)) return void socket.destroy();
          limitHeaders(request);
          const isUpgrading = request.headers.upgrade !== undefined;
          if (isUpgrading) upgrading.add(socket);
          if (isUpgrading || this.#isClosing) response.setHeader("Connection", "close");
          const refusal = refusalOf(request);
          if (refusal !== null) return refuse(request, response, refusal);
          bodies.admission.arrived(request, response);
          if (!hotPath(request, response)) route(request, response);
        };
        const { server, connections } = newServer(options, handle);
        server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
          if (!bodies.isUnwanted(request)) response.writeContinue();
          handle(request, response);
        });
        this.#server = server;
        this.#connections = connections;
        return server;
      },
    });
  }

  /** New connections use the new certificate; existing ones keep theirs. */
  useCertificate(certificate: PemPair): void {
    (this.#server as TlsServer | null)?.setSecureContext(tlsOptions(certificate));
  }

  /** Returns the port. */
  async listen(host: string, port: number): Promise<number> {
    await this.fastify.listen({ host, port });
    const address = this.#server?.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  async close(withinMs: number): Promise<void> {
    this.#isClosing = true;
    const server = this.#server;
    const idle = setInterval(() => {
      server?.closeIdleConnections();
      // Node counts connections without a request as busy.
      this.#connections?.closeUnused();
    }, DRAIN_STEP_MS);
    const late = setTimeout(() => server?.closeAllConnections(), withinMs);
    try {
      await this.fastify.close();
    } finally {
      clearInterval(idle);
      clearTimeout(late);
    }
  }
}

function newServer(
  { certificate = null, connections: limits, mostUnsent, onDropped, ...given }: ServerOptions,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): { readonly server: Server; readonly connections: Connections } {
  const { requestMs, headersMs, keepAliveMs, silenceMs, checkMs } = { ...defaultTimeouts, ...given.timeouts };
  const connections = new Connections(limits ?? noLimits, onDropped);
  const unsent = new Unsent(mostUnsent ?? Number.POSITIVE_INFINITY, () => onDropped?.("unread"));
  const bySocket = new WeakMap<Socket, Connection>();
  const options = {
    requestTimeout: requestMs,
    headersTimeout: headersMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: checkMs,
    ServerResponse: countedResponse({
      connections,
      unsent,
      connectionOf: (socket) => bySocket.get(socket),
    }),
  };
  const server =
    certificate === null
      ? createServer(options, handle)
      : createTlsServer({ ...options, ...tlsOptions(certificate), handshakeTimeout: headersMs }, handle);
  server.timeout = silenceMs;
  // A client may close its side after the request, and wait for the response (RFC 9112 §9.6). Node would drop
  // the response. It has no option for this, but the property since its first versions.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connection", (socket) => {
    const connection = connections.take(socket);
    if (connection === null) return;
    bySocket.set(socket, connection);
    socket.once("close", () => unsent.forget(connection));
  });
  // Requests arrive on the encrypted socket; the TCP socket beneath it is the one counted.
  server.on("secureConnection", (socket: Socket) => {
    // As for http, see above; before the handshake, an end is an end.
    socket.allowHalfOpen = true;
    const connection = bySocket.get(beneath(socket));
    if (connection === undefined) return;
    connection.secure = socket;
    bySocket.set(socket, connection);
  });
  return { server, connections };
}

/** The TCP socket that carries an encrypted one. */
const beneath = (socket: Socket): Socket => (socket as { readonly _parent?: Socket })._parent ?? socket;

const PLAIN_HTTP = "ERR_SSL_HTTP_REQUEST";
const refusals: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** The input is not HTTP, or came too slowly. There is no request to answer, only a connection to end. */
function refuseRequest(error: NodeJS.ErrnoException, given: Socket): void {
  const isPlain = error.code === PLAIN_HTTP;
  // A failed handshake has ended the encrypted socket, but not the TCP socket, over which a plain-HTTP client
  // can read a response.
  const socket = isPlain ? beneath(given) : given;
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const status = refusals[error.code ?? ""] ?? 400;
  const text = isPlain ? "This port speaks HTTPS: use https://\n" : `${STATUS_CODES[status]}\n`;
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    "Content-Type: text/plain",
    `Content-Length: ${text.length}`,
    NO_SNIFFING.join(": "),
  ];
  // Like Node's own handler: the invalid bytes may be the rest of a request that has been answered already.
  const { _httpMessage: answer } = given as { readonly _httpMessage?: ServerResponse | null };
  if (socket.writable && answer?.headersSent !== true) socket.write(`${head.join("\r\n")}\r\n\r\n${text}`);
  socket.destroy(error);
}
