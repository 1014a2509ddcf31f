/**
 * Everything that a client can choose freely, sent hundreds of times with different values. What is kept of
 * it is listed in SECURITY.md with its limit; an unbounded cache would keep a part of each request.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { hashKey } from "#domain/access/key.ts";
import { KEY, startService } from "../service.ts";

const REQUESTS = 150;
/** Requests before those that are measured. */
const FIRST = 100;
/** The size of each request. Their sum is several times what may stay in memory. */
const BYTES = 12_000;
/** Requests on one connection. */
const PIPELINED = 25;
/** A third of each request: caches that are not full yet still grow a little. */
const MAX_KEPT = 4000 * REQUESTS;

const service = await startService({ "trusted-proxies": "127.0.0.1", namespaces: "*" });
after(() => service.close());

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
function heapUsed(): number {
  for (let round = 0; round < 3; round += 1) collectGarbage();
  return process.memoryUsage().heapUsed;
}

interface Sent {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The request as bytes: without an HTTP client, whose own work would cost more than the server's. */
function textOf({ path = "/default.asmx", headers = {}, body }: Sent, isLast: boolean): string {
  const all = {
    Host: `127.0.0.1:${service.port}`,
    // One client address each, so that no request is rate-limited for another's failed keys.
    "X-Forwarded-For": address(),
    ...(body === undefined ? {} : { "Content-Type": "text/xml", "Content-Length": Buffer.byteLength(body) }),
    ...(isLast ? { Connection: "close" } : {}),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`;
}

/** Sends them on one connection, without waiting for answers; returns how many were answered. */
async function send(requests: readonly Sent[]): Promise<number> {
  const socket = connect(service.port, "127.0.0.1");
  socket.write(requests.map((request, n) => textOf(request, n === requests.length - 1)).join(""));
  return (await text(socket)).split("HTTP/1.1 ").length - 1;
}

let lastAddress = 0;
function address(): string {
  lastAddress += 1;
  return `10.${(lastAddress >> 16) & 255}.${(lastAddress >> 8) & 255}.${lastAddress & 255}`;
}

const padding = (length = BYTES): string => "x".repeat(length);
const envelope = (inner: string, attributes = ""): string =>
  `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"${attributes}><!-- ${padding()} --><e:Body>${inner}</e:Body></e:Envelope>`;
const testCall = (key: string, namespace = "urn:n"): string =>
  envelope(
    `<Client.TestApiConnection xmlns="${namespace}"><APIKey>${key}</APIKey></Client.TestApiConnection>`,
  );
/** White space around a key, different for each number. */
const spaces = (n: number): string => n.toString(2).replaceAll("0", " ").replaceAll("1", "\n");

const REVOKED = "REVOKED-KEY-0123456789";
const floods: Readonly<Record<string, (n: number) => Sent>> = {
  "spellings of a key": (n) => ({ body: testCall(spaces(n) + KEY) }),
  "spellings of a revoked key": (n) => ({ body: testCall(spaces(n) + REVOKED) }),
  "unknown keys": (n) => ({ body: testCall(`UNKNOWN-KEY-${n}`) }),
  "keys far too long": (n) => ({ body: testCall(`${n}${padding()}`) }),
  "bearer keys": (n) => ({
    path: "/api/v1/fields",
    headers: { Authorization: `Bearer ${n}${padding()}` },
  }),
  "shapes of messages, with a key that works": (n) => ({
    body: `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><!-- ${n}${"ж".repeat(3500)} --><e:Body><Client.TestApiConnection xmlns="urn:n"><APIKey>${KEY}</APIKey></Client.TestApiConnection></e:Body></e:Envelope>`,
  }),
  namespaces: (n) => ({ body: testCall(KEY, `urn:${n}${padding(200)}`) }),
  "long namespaces": (n) => ({ body: testCall(KEY, `urn:${n}${padding(900)}`) }),
  operations: (n) => ({ body: envelope(`<Operation${n} xmlns="urn:n"/>`) }),
  "actions of SOAP 1.1": (n) => ({ body: testCall(KEY), headers: { SOAPAction: `"${n}${padding()}"` } }),
  "short actions of SOAP 1.1": (n) => ({ body: testCall(KEY), headers: { SOAPAction: `"urn:${n}"` } }),
  "parameters of the Content-Type": (n) => ({
    body: testCall(KEY),
    headers: { "Content-Type": `text/xml; p${n}=${padding()}` },
  }),
  "names of encodings": (n) => ({
    body: testCall(KEY),
    headers: { "Content-Type": `text/xml; charset=x-${n}` },
  }),
  hosts: (n) => ({ path: "/default.asmx?wsdl", headers: { Host: `h${n}.example` } }),
  "hosts that are none": (n) => ({ path: "/default.asmx?wsdl", headers: { Host: `${n}/${padding()}` } }),
  "User-Agents that read the WSDL": (n) => ({
    path: "/default.asmx?wsdl",
    headers: {
      "User-Agent": `${n}${padding()}`,
      "X-Forwarded-For": `${padding(2000)}, 198.51.${n >> 8}.${n & 255}`,
    },
  }),
  "paths that SOAP is posted to": (n) => ({ path: `/${n}${padding()}`, body: testCall(KEY) }),
  queries: (n) => ({ path: `/default.asmx?op=${n}${padding()}` }),
  paths: (n) => ({ path: `/${n}${padding()}` }),
  "names of headers": (n) => ({ path: "/healthz", headers: { [`X-${n}`]: padding() } }),
  clients: (n) => ({
    body: testCall("UNKNOWN-KEY-0"),
    headers: { "X-Forwarded-For": `${padding()}, 198.51.${n >> 8}.${n & 255}` },
  }),
  traces: (n) => ({
    body: testCall(KEY),
    headers: { traceparent: `00-${n.toString(16).padStart(32, "a")}-00f067aa0ba902b7-01` },
  }),
};

async function flood(requestOf: (n: number) => Sent, from: number, count: number): Promise<void> {
  for (let sent = 0; sent < count; ) {
    const size = Math.min(PIPELINED, count - sent);
    const answers = await send(Array.from({ length: size }, (_, n) => requestOf(from + sent + n + 1)));
    // The server may close the connection after a request that it rejects.
    assert.ok(answers > 0, "no answer");
    sent += answers;
  }
}

describe("memory that a caller can grow is bounded for", async () => {
  const { store } = service;
  const key = { account: 1, hash: hashKey(REVOKED), hint: "REVO", length: REVOKED.length, label: "revoked" };
  const made = await store.keys.create({ ...key, scope: "full", expiresAt: null, at: 1 });
  await store.keys.revoke({ account: 1, id: made?.id ?? 0, at: 2 });

  for (const [what, requestOf] of Object.entries(floods))
    test(`keeps no memory per request for ${what}`, async () => {
      // Fills bounded caches and compiles the code before the measurement.
      await flood(requestOf, 0, FIRST);
      const before = heapUsed();
      await flood(requestOf, FIRST, REQUESTS);
      const kept = heapUsed() - before;
      assert.ok(kept < MAX_KEPT, `${(kept / 1024 ** 2).toFixed(1)} MiB kept of ${REQUESTS} requests`);
    });
});
