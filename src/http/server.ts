/**
 * The HTTP server: fastify for everything but the hot path, which a handler may take off before routing. It stops
 * gracefully: no new connections, what is in flight is finished within a time, idle connections are let go.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";

/** True where the handler has taken the request. */
export type HotPath = (request: IncomingMessage, response: ServerResponse) => boolean;

const REQUEST_TIMEOUT_MS = 60_000;
const HEADERS_TIMEOUT_MS = 20_000;
const KEEP_ALIVE_MS = 30_000;
const DRAIN_STEP_MS = 50;

export class HttpServer {
  readonly fastify: FastifyInstance;
  #server: Server | null = null;
  #isClosing = false;

  constructor(hotPath: HotPath, bodyLimit: number) {
    this.fastify = Fastify({
      bodyLimit,
      forceCloseConnections: "idle",
      serverFactory: (route) => {
        const server = createServer(
          {
            requestTimeout: REQUEST_TIMEOUT_MS,
            headersTimeout: HEADERS_TIMEOUT_MS,
            keepAliveTimeout: KEEP_ALIVE_MS,
          },
          (request, response) => {
            if (this.#isClosing) response.setHeader("Connection", "close");
            if (!hotPath(request, response)) route(request, response);
          },
        );
        this.#server = server;
        return server;
      },
    });
    this.fastify.setNotFoundHandler((_request, reply) =>
      reply.code(404).type("text/plain").send("Not found\n"),
    );
  }

  /** The port it listens on. */
  async listen(host: string, port: number): Promise<number> {
    await this.fastify.listen({ host, port });
    const address = this.#server?.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  async close(withinMs: number): Promise<void> {
    this.#isClosing = true;
    const server = this.#server;
    const idle = setInterval(() => server?.closeIdleConnections(), DRAIN_STEP_MS);
    const late = setTimeout(() => server?.closeAllConnections(), withinMs);
    try {
      await this.fastify.close();
    } finally {
      clearInterval(idle);
      clearTimeout(late);
    }
  }
}
