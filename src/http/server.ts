/**
 * The HTTP or HTTPS server. fastify serves everything but the hot path, which a handler may take over before
 * routing. Slow clients are waited for; silent ones are disconnected. A graceful stop accepts no new
 * connections, finishes requests in flight within a time limit and closes idle connections.
 */
import { createServer, type IncomingMessage, type Server, ServerResponse, STATUS_CODES } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { type BodyReader, closeAfterResponse } from "./body/body.ts";
import type { ClientAddresses } from "./client-address.ts";
import { type Connection, type ConnectionLimits, Connections, type Dropped } from "./connections.ts";
import type { ErrorReplies } from "./not-found.ts";
import { NO_SNIFFING, newRouter } from "./route-requests.ts";
import { sendWhole } from "./send.ts";
import { type PemPair, tlsOptions } from "./tls/options.ts";
import { MAX_REQUESTS, PAUSED_REQUESTS, UnreadResponses } from "./unread-responses.ts";

// What happens to the head of every request before anything else looks at it: headers get a limit, and
// requests that HTTP forbids to serve, though Node passes them on, are answered without reading their body.

/**
 * In characters, all lines of a header together, for every header, so that no reader of a header can forget
 * it: far more than any client has reason to send. Node itself allows 16 KiB.
 */
export const MAX_HEADER_LENGTH = 1024;
/** A browser sends the cookies of everything that this host and its parent domains serve. */
export const MAX_COOKIE_LENGTH = 8192;

/**
 * A header over its limit is replaced by a text that no reader takes for anything, and no client can send,
 * because of its ellipsis: it is answered like an unknown media type, action or token, or ignored like a
 * language that nobody speaks. Of X-Forwarded-For the end counts, which the proxy wrote, not the client.
 */
function limitHeaders({ headers }: IncomingMessage): void {
  for (const name in headers) {
    const most = name === "cookie" ? MAX_COOKIE_LENGTH : MAX_HEADER_LENGTH;
    const value = headers[name];
    if (typeof value !== "string" || value.length <= most) continue;
    headers[name] = name === "x-forwarded-for" ? value.slice(-most) : `(more than ${most} characters…)`;
  }
}

interface Refusal {
  readonly status: number;
  readonly text: string;
}

const otherVersion: Refusal = { status: 505, text: "This server speaks HTTP/1.1 and HTTP/1.0.\n" };
const otherCoding: Refusal = {
  status: 501,
  text: "The only Transfer-Encoding is chunked. Send a compressed body with Content-Encoding: gzip.\n",
};
const severalHosts: Refusal = {
  status: 400,
  text: "The request has more than one Host header. Send exactly one.\n",
};

/** null: the request may be served. RFC 9110 §15.6.6, RFC 9112 §6.1 and §3.2. */
function refusalOf(request: IncomingMessage): Refusal | null {
  if (request.httpVersionMajor !== 1) return otherVersion;
  const coding = request.headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") return otherCoding;
  return hasTwoHosts(request) ? severalHosts : null;
}

const HOST = "host";

/** Node shows only the first of several, and a proxy in front may have used another one. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let nth = 0; nth < rawHeaders.length; nth += 2) {
    const name = rawHeaders[nth] as string;
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1;
}

function refuse(request: IncomingMessage, response: ServerResponse, { status, text }: Refusal): void {
  closeAfterResponse(response, request);
  sendWhole(response, status, { "Content-Type": "text/plain", Connection: "close" }, text);
}

// A response that reports the start and end of its request, and how many of its bytes the client has not read
// yet. Node creates one for each request, so every response is counted here, whichever code sends it.

/**
 * Memory that Node takes for a request and its response, without the text of the headers: measured, rounded
 * up.
 */
const REQUEST_BYTES = 6 * 1024;

interface CountedResponseOptions {
  readonly connections: Connections;
  readonly unsent: UnreadResponses;
  readonly connectionOf: (socket: Socket) => Connection | undefined;
}

/** As in Node's overloads: with or without an encoding, with or without a callback. */
type Given = readonly [chunk?: unknown, encoding?: unknown, done?: unknown];

function countedResponse({
  connections,
  unsent,
  connectionOf,
}: CountedResponseOptions): typeof ServerResponse {
  return class CountedResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
    readonly from: Connection | undefined;
    /** Bytes that are counted for this response. */
    held = 0;

    constructor(...given: ConstructorParameters<typeof ServerResponse<Request>>) {
      super(...given);
      const [{ socket }] = given;
      // Requests behind one for which the connection was closed are still parsed, but not served.
      const from = socket.destroyed ? undefined : connectionOf(socket);
      this.from = from;
      if (from === undefined) return;
      connections.begin(from);
      if (from.requests === 1) return;
      this.measure();
      if (from.requests > MAX_REQUESTS) unsent.close(from);
      else if (from.requests >= PAUSED_REQUESTS) socket.pause();
    }

    override write(...given: Given): boolean {
      // First subtract what the client has read since the last write, so that it does not count as stalled.
      this.measure();
      const goOn = super.write(...(given as Parameters<ServerResponse["write"]>));
      this.measure();
      return goOn;
    }

    override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
      super.end(chunk as string, encoding as BufferEncoding, done as () => void);
      // Usually the kernel has accepted all of it by now.
      if (this.held > 0 || this.writableLength > 0) this.measure();
      return this;
    }

    measure(): void {
      const { from, req, held, writableLength } = this;
      if (from === undefined) return;
      const isWaiting = this.socket === null && !this.writableFinished;
      const now = isWaiting || writableLength > 0 ? writableLength + bytesOf(req) : 0;
      this.held = now;
      if (now > held) unsent.hold(from, now - held);
      else if (now < held) unsent.release(from, held - now);
    }

    /** Called by Node when the kernel has accepted the last byte of the response. */
    override detachSocket(socket: Socket): void {
      super.detachSocket(socket);
      const { from, held } = this;
      if (from === undefined) return;
      connections.end(from);
      this.held = 0;
      if (held > 0) unsent.release(from, held);
      if (from.requests === PAUSED_REQUESTS - 1) socket.resume();
    }
  };
}

/** Headers may take up to 16 KiB. */
function bytesOf({ rawHeaders, url = "" }: IncomingMessage): number {
  let bytes = REQUEST_BYTES + url.length;
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** Returns true if the handler has taken the request. */
type HotPath = (request: IncomingMessage, response: ServerResponse) => boolean;

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
  readonly errorReplies?: ErrorReplies;
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
      ...(options.errorReplies === undefined ? {} : { errorReplies: options.errorReplies }),
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
  const unsent = new UnreadResponses(mostUnsent ?? Number.POSITIVE_INFINITY, () => onDropped?.("unread"));
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
