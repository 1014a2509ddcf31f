/** Sends a request over a raw socket, and reads the response into the text that a case is compared with. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { gunzipSync } from "node:zlib";
import type { Request } from "./request.ts";
import { ANY } from "./response.ts";

const ANSWER_WITHIN_MS = 30_000;
const INTERIM = "HTTP/1.1 100 Continue\r\n\r\n";

/** Bytes as a Latin-1 string: one character is one byte, whatever the encoding of a body. */
export type Bytes = string;

export interface Response {
  /** The status line, the headers that matter, an empty line, the body without chunks and compression. */
  readonly text: Bytes;
  readonly etag: string;
}

export interface Connection {
  readonly port: number;
  /** The address of the client. */
  readonly from: string;
}

export async function exchange(connection: Connection, request: Request): Promise<Response> {
  return toResponse(await send(connection, request), request);
}

/** All bytes until the response is whole: until the end, where the connection ends. */
function send({ port, from }: Connection, request: Request): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, localAddress: from });
    let received = "";
    let isBodySent = !request.waits;
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error(`no whole response: ${received}`)));
    socket.setEncoding("latin1");
    socket.on("connect", () =>
      socket.write(isBodySent ? Buffer.concat([request.head, request.body]) : request.head),
    );
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (!isBodySent && received.startsWith(INTERIM)) {
        isBodySent = true;
        socket.write(request.body);
      }
      if (!request.ends && isWhole(received)) socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

function isWhole(received: Bytes): boolean {
  const response = withoutInterim(received);
  const end = response.indexOf("\r\n\r\n");
  const length = /^content-length: *(\d+)/im.exec(response.slice(0, Math.max(end, 0)))?.[1];
  return end !== -1 && length !== undefined && response.length >= end + 4 + Number(length);
}

const withoutInterim = (received: Bytes): Bytes =>
  received.startsWith(INTERIM) ? received.slice(INTERIM.length) : received;

const headersThatMatter = new Set([
  "allow",
  "cache-control",
  "content-encoding",
  "content-length",
  "content-type",
  "etag",
  "location",
  "retry-after",
  "transfer-encoding",
  "vary",
]);
/** Values that follow from the body, and would change with every word of it. */
const elided = new Set(["content-length", "etag"]);

function toResponse(received: Bytes, request: Request): Response {
  const whole = withoutInterim(received);
  const end = whole.indexOf("\r\n\r\n");
  assert.notEqual(end, -1, `the head of a response must end with an empty line: ${JSON.stringify(received)}`);
  const [start, ...lines] = whole.slice(0, end).split("\r\n");
  const sent = whole.slice(end + 4);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const length = headers.get("content-length");
  if (length !== undefined && !request.isHead) assert.equal(sent.length, Number(length), "Content-Length");
  const unchunked = headers.get("transfer-encoding") === "chunked" ? joinChunks(sent) : sent;
  const isZipped = headers.get("content-encoding") === "gzip" && !request.isHead;
  const shown = [...headers]
    .filter(([name]) => headersThatMatter.has(name) || (name === "connection" && request.namesConnection))
    .map(([name, value]) => `${name}: ${elided.has(name) ? ANY : value}`)
    .toSorted();
  const body = isZipped ? gunzipSync(Buffer.from(unchunked, "latin1")).toString("latin1") : unchunked;
  const interim = received === whole ? [] : [INTERIM.trimEnd(), ""];
  return { text: [...interim, start, ...shown, "", body].join("\n"), etag: headers.get("etag") ?? "" };
}

function joinChunks(sent: Bytes): Bytes {
  let whole = "";
  for (let rest = sent; ; ) {
    const end = rest.indexOf("\r\n");
    const size = Number.parseInt(rest.slice(0, Math.max(end, 0)), 16);
    assert.ok(size >= 0, "the last chunk is missing");
    if (size === 0) return whole;
    whole += rest.slice(end + 2, end + 2 + size);
    rest = rest.slice(end + 2 + size + 2);
  }
}
