/** /metrics over HTTP: on a port of its own, or as a route of the service. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { CONTENT_TYPE, METRICS_PATH } from "./registry.ts";

const NO_SNIFFING = { "X-Content-Type-Options": "nosniff" };

export interface ScrapeOptions {
  readonly text: () => Promise<string>;
  /** Required as `Authorization: Bearer …`; null: not required. */
  readonly token: string | null;
  readonly onFailure: (error: unknown) => void;
}
export type Scrape = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

export function scrape({ text, token, onFailure }: ScrapeOptions): Scrape {
  const wanted = token === null ? null : digest(token);
  const isAllowed = ({ headers }: IncomingMessage): boolean => {
    if (wanted === null) return true;
    const [, given = ""] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? "") ?? [];
    return timingSafeEqual(digest(given), wanted);
  };
  return async (request, response) => {
    if (!isAllowed(request))
      return sendText(response, 401, "Send the token as Authorization: Bearer <MAILROLL_METRICS_TOKEN>.", {
        "WWW-Authenticate": "Bearer",
      });
    try {
      const body = await text();
      response.writeHead(200, { "Content-Type": CONTENT_TYPE, "Cache-Control": "no-store", ...NO_SNIFFING });
      response.end(request.method === "HEAD" ? undefined : body);
    } catch (error) {
      onFailure(error);
      sendText(response, 500, "The metrics could not be collected; the log says why.");
    }
  };
}

/** In bytes, all headers together: a scrape needs few. */
const MAX_HEADER_BYTES = 4096;

/** Serves nothing else. */
export function scrapeServer(answer: Scrape): Server {
  return createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    request.resume();
    if (request.url?.split("?", 1)[0] !== METRICS_PATH)
      sendText(response, 404, `Not found. The only path on this port is ${METRICS_PATH}.`);
    else if (request.method !== "GET" && request.method !== "HEAD")
      sendText(response, 405, "Use GET.", { Allow: "GET, HEAD" });
    else void answer(request, response);
  });
}

/** Resolves to the port it listens on. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

function sendText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", ...NO_SNIFFING, ...headers });
  response.end(`${text}\n`);
}
