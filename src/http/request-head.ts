/**
 * What happens to the head of every request before anything else looks at it: headers get a limit, and
 * requests that HTTP forbids to serve, though Node passes them on, are answered without reading their body.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { closeAfterResponse } from "./body/body.ts";
import { sendWhole } from "./send.ts";

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
export function limitHeaders({ headers }: IncomingMessage): void {
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
export function refusalOf(request: IncomingMessage): Refusal | null {
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

export function refuse(request: IncomingMessage, response: ServerResponse, { status, text }: Refusal): void {
  closeAfterResponse(response, request);
  sendWhole(response, status, { "Content-Type": "text/plain", Connection: "close" }, text);
}
