/**
 * Requests that HTTP forbids to serve, though Node passes them on. They are answered without reading their
 * body.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { closeAfterResponse } from "./body/body.ts";
import { sendWhole } from "./send.ts";

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
