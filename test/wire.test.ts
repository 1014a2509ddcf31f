/**
 * The interface, byte for byte: every folder of wire/ is a test, and its name is the title. `request` is sent
 * over a raw socket and `response` is what must come back. Several steps are `1-request`, `1-response`,
 * `2-request` and so on.
 *
 * - request: the lines of the head, an empty line, the body as it is. Host, Content-Length and Connection are
 *   added if they are missing. {{port}} and {{etag}} (of the step before) stand for what a file cannot know.
 * - response: the status line, the headers that matter, an empty line, the body without chunks and
 *   compression. A header value of "..." stands for any value. A body that begins with a line "..." lists
 *   fragments, one per line, that must occur in the real one in this order: for documents that are compared
 *   completely elsewhere.
 * - settings.json: the case runs on a server with these variables; the others share one server.
 * - stored.json: what must be stored afterwards about addresses of the first account; null for nothing.
 *
 * UPDATE_WIRE=1 writes the responses. Read each one before you keep it.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { type Running, serve } from "../src/app/app.ts";
import { loadConfig } from "../src/app/load-config.ts";
import { Log } from "../src/app/log.ts";
import { parseAddress } from "../src/domain/address.ts";
import { KEY, NOW, prepare } from "./wire-fixture.ts";

const folder = new URL("./wire/", import.meta.url);
const temporary = mkdtempSync(join(tmpdir(), "mailroll-wire-"));
const ANSWER_WITHIN_MS = 5000;
const ANY = "...";

/** One server per distinct settings, each with a database of its own. */
const servers = new Map<string, Promise<Running>>();

function serverFor(settings: string): Promise<Running> {
  const known = servers.get(settings);
  if (known !== undefined) return known;
  const file = join(temporary, `${servers.size}.db`);
  const started = start(file, JSON.parse(settings) as Record<string, string>);
  servers.set(settings, started);
  return started;
}

async function start(file: string, settings: Readonly<Record<string, string>>): Promise<Running> {
  const fixed = {
    MAILROLL_PORT: "0",
    MAILROLL_LOG: "silent",
    MAILROLL_DATABASE: `sqlite:${file}`,
    MAILROLL_API_KEY: KEY,
  };
  const config = loadConfig({ flags: {}, env: { ...settings, ...fixed }, folder: temporary });
  const running = await serve(config, new Log(config.log), {
    wall: () => NOW,
    monotonic: () => performance.now(),
  });
  try {
    await prepare(running.store, file);
  } catch (error) {
    // Nobody else would end it, and a server that goes on listening keeps the test from ending.
    await running.close();
    throw error;
  }
  return running;
}

after(async () => {
  // A server that did not start has failed its cases already.
  for (const started of await Promise.allSettled(servers.values()))
    if (started.status === "fulfilled") await started.value.close();
  rmSync(temporary, { recursive: true });
});

// Bytes are held as Latin-1 strings throughout: one character is one byte, whatever the encoding of a body.
type Bytes = string;
const read = (path: URL): Bytes => readFileSync(path, "latin1");

/** Splits at the first empty line; the head's lines end as they do in a file or on the wire. */
function split(message: Bytes, lineEnd: "\n" | "\r\n"): { head: string[]; body: Bytes } {
  const at = message.indexOf(lineEnd + lineEnd);
  assert.notEqual(at, -1, "a head must end with an empty line");
  return { head: message.slice(0, at).split(lineEnd), body: message.slice(at + 2 * lineEnd.length) };
}

interface Request {
  readonly head: Bytes;
  readonly body: Bytes;
  readonly isHead: boolean;
  /** The caller waits for "100 Continue" before it sends the body. */
  readonly waits: boolean;
  /** The caller asks, or its version of HTTP means, that the connection ends after the answer. */
  readonly ends: boolean;
  /** It is the file, not the runner, that speaks of the connection: then the answer's word matters too. */
  readonly namesConnection: boolean;
}

function toRequest(file: Bytes): Request {
  const { head, body } = split(file, "\n");
  const value = (name: string): string | undefined =>
    head
      .slice(1)
      .find((line) => line.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim()
      .toLowerCase();
  const lines = [...head];
  const isOld = head[0]?.endsWith("HTTP/1.0") === true;
  const namesConnection = isOld || value("connection") !== undefined;
  if (value("host") === undefined) lines.push("Host: mailroll.test");
  if (!namesConnection) lines.push("Connection: close");
  if (value("content-length") === undefined && value("transfer-encoding") === undefined)
    lines.push(`Content-Length: ${body.length}`);
  return {
    head: `${lines.join("\r\n")}\r\n\r\n`,
    body,
    isHead: head[0]?.startsWith("HEAD ") === true,
    waits: value("expect") === "100-continue",
    ends: value("connection") === "close" || value("connection") === undefined,
    namesConnection,
  };
}

/**
 * Sends the bytes and gives back all that came until the answer is whole: until the end, where the connection
 * ends.
 */
function exchange(port: number, request: Request): Promise<Bytes> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port });
    let received = "";
    let isBodySent = !request.waits;
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error(`no whole answer: ${received}`)));
    socket.setEncoding("latin1");
    socket.on("connect", () => socket.write(request.head + (isBodySent ? request.body : ""), "latin1"));
    socket.on("data", (chunk: string) => {
      received += chunk;
      if (!isBodySent && received.startsWith(INTERIM)) {
        isBodySent = true;
        socket.write(request.body, "latin1");
      }
      if (!request.ends && isWhole(received)) socket.end();
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

function isWhole(received: Bytes): boolean {
  const answer = withoutInterim(received);
  const end = answer.indexOf("\r\n\r\n");
  const length = /^content-length: *(\d+)/im.exec(answer.slice(0, Math.max(end, 0)))?.[1];
  return end !== -1 && length !== undefined && answer.length >= end + 4 + Number(length);
}

const INTERIM = "HTTP/1.1 100 Continue\r\n\r\n";
const withoutInterim = (received: Bytes): Bytes =>
  received.startsWith(INTERIM) ? received.slice(INTERIM.length) : received;

interface Answer {
  /** As a response file has it. */
  readonly text: Bytes;
  readonly etag: string;
}

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

function toAnswer(received: Bytes, request: Request): Answer {
  const { head, body: sent } = split(withoutInterim(received), "\r\n");
  const headers = new Map(
    head.slice(1).map((line) => {
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
    .sort();
  const body = isZipped ? gunzipSync(Buffer.from(unchunked, "latin1")).toString("latin1") : unchunked;
  const lines = [
    ...(received.startsWith(INTERIM) ? ["HTTP/1.1 100 Continue", ""] : []),
    head[0],
    ...shown,
    "",
    body,
  ];
  return { text: lines.join("\n"), etag: headers.get("etag") ?? "" };
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

/** The expectation in the words of the answer where its fragments stand in it, else as it was. */
function fill(expected: Bytes, actual: Bytes): Bytes {
  const mark = `\n\n${ANY}\n`;
  const at = expected.indexOf(mark);
  if (at === -1 || actual.slice(0, at + 2) !== expected.slice(0, at + 2)) return expected;
  let from = at + 2;
  for (const fragment of expected.slice(at + mark.length).split("\n")) {
    const found = actual.indexOf(fragment, from);
    if (found === -1) return expected;
    from = found + fragment.length;
  }
  return actual;
}

const utf8 = (bytes: Bytes): string => Buffer.from(bytes, "latin1").toString("utf8");

function compare(file: URL, actual: Bytes): void {
  const expected = existsSync(file) ? read(file) : null;
  if (process.env.UPDATE_WIRE === "1") {
    if (expected === null || fill(expected, actual) !== actual) writeFileSync(file, actual, "latin1");
    return;
  }
  assert.ok(expected !== null, `${file.pathname} is missing; UPDATE_WIRE=1 writes it`);
  const filled = fill(expected, actual);
  if (filled === actual) return;
  assert.equal(utf8(actual), utf8(filled));
  assert.fail(`the bytes differ, though they read the same: ${JSON.stringify([actual, filled])}`);
}

/**
 * Of the actual value that which the expectation speaks of: all of an array, the named properties of an
 * object.
 */
function asExpected(actual: unknown, expected: unknown): unknown {
  if (typeof actual === "bigint") return String(actual);
  if (Array.isArray(actual) && Array.isArray(expected))
    return actual.map((item, index) => asExpected(item, expected[index]));
  if (typeof actual !== "object" || actual === null || typeof expected !== "object" || expected === null)
    return actual;
  const named = new Map(Object.entries(actual));
  return Object.fromEntries(
    Object.entries(expected).map(([name, value]) => [name, asExpected(named.get(name), value)]),
  );
}

async function compareStored(running: Running, file: URL): Promise<void> {
  for (const [text, expected] of Object.entries(JSON.parse(readFileSync(file, "utf8")) as object)) {
    const address = parseAddress(text);
    assert.ok(address !== null, text);
    const record = await running.store.subscribers.byAddress({ account: 1, address });
    assert.deepEqual(asExpected(record, expected), expected, text);
  }
}

async function run(place: URL): Promise<void> {
  const settings = new URL("settings.json", place);
  const running = await serverFor(existsSync(settings) ? readFileSync(settings, "utf8") : "{}");
  const steps = readdirSync(place)
    .filter((name) => /^(?:\d+-)?request$/.test(name))
    .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  assert.notEqual(steps.length, 0, "a case must have a request");
  const port = String(running.port);
  let etag = "";
  for (const step of steps) {
    const file = read(new URL(step, place)).replaceAll("{{port}}", port).replaceAll("{{etag}}", etag);
    const request = toRequest(file);
    const answer = toAnswer(await exchange(running.port, request), request);
    etag = answer.etag;
    compare(
      new URL(step.replace("request", "response"), place),
      answer.text.replaceAll(`:${port}`, ":{{port}}"),
    );
  }
  const stored = new URL("stored.json", place);
  if (existsSync(stored)) await compareStored(running, stored);
}

for (const entry of readdirSync(folder, { withFileTypes: true }))
  if (entry.isDirectory())
    test(entry.name.replaceAll("-", " "), () => run(new URL(`${entry.name}/`, folder)));
