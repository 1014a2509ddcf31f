/** Routes that declare a body get it parsed, limited and counted; the body of all others is discarded. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import { Admission } from "#admission/admission.ts";
import { type Limits, limitsFor } from "#admission/limits.ts";
import { BodyReader } from "#http/body/body.ts";
import { ROUTE_BODY_LIMIT } from "#http/route-requests.ts";
import { HttpServer, type ServerOptions } from "#http/server.ts";
import { answerErrorsAsJson } from "#web/json-errors.ts";

const KIB = 1024;
const LIMIT = 128 * KIB;
const ROUTE_LIMIT = 8 * KIB;

interface Options {
  readonly limits?: Partial<Limits>;
  readonly server?: ServerOptions;
  readonly until?: Promise<void>;
}

/** `/toys` declares a body, `/small` a smaller and `/large` a larger one, `/plain` none. All return it. */
async function serving(t: TestContext, { limits = {}, server: options = {}, until }: Options = {}) {
  const admission = new Admission({ ...limitsFor(LIMIT), ...limits });
  const server = new HttpServer(() => false, new BodyReader(LIMIT, admission), options);
  const seen = { handled: 0, defects: [] as unknown[] };
  answerErrorsAsJson(server.fastify, (error) => {
    seen.defects.push(error);
    return "reference";
  });
  const echo = async (request: { readonly body: unknown }): Promise<unknown> => {
    seen.handled += 1;
    await until;
    return { body: request.body ?? null };
  };
  const body = {
    type: "object",
    properties: { name: { type: "string" }, text: { type: "string" } },
    required: ["name"],
    additionalProperties: false,
  };
  server.fastify.post("/toys", { schema: { body } }, echo);
  server.fastify.post("/small", { schema: { body }, bodyLimit: ROUTE_LIMIT }, echo);
  server.fastify.post("/large", { schema: { body }, bodyLimit: 1024 * KIB }, echo);
  server.fastify.post("/plain", echo);
  server.fastify.post("/broken", { schema: { body } }, () => {
    throw new Error("a defect");
  });
  const port = await server.listen("127.0.0.1", 0);
  t.after(() => server.close(0));
  const post = async (
    path: string,
    given: string | Buffer,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: typeof given === "string" ? given : new Uint8Array(given),
    });
    const answer = (await response.json()) as {
      readonly body?: unknown;
      readonly error?: { readonly code: string; readonly message: string };
    };
    return { status: response.status, headers: response.headers, body: answer.body, ...answer.error };
  };
  const open = async (head: string): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(`${head}\r\nHost: x\r\nContent-Type: application/json\r\n`);
    return socket;
  };
  return { admission, seen, post, open };
}
const turnsUntil = async (isSo: () => boolean): Promise<void> => {
  for (let turns = 0; !isSo(); turns += 1) {
    assert.ok(turns < 1_000_000, "it never came to that");
    await new Promise((resolve) => setImmediate(resolve));
  }
};
const sized = (bytes: number): string => {
  const empty = JSON.stringify({ name: "a", text: "" });
  return JSON.stringify({ name: "a", text: "x".repeat(bytes - empty.length) });
};
const isIdle = ({ inFlight, bodyBytes }: Admission): void => assert.deepEqual([inFlight, bodyBytes], [0, 0]);

test("passes a declared JSON body to its handler, in one piece or compressed", async (t) => {
  const { admission, post } = await serving(t);
  const toy = { name: "Kreisel ☃ 😀", text: "x".repeat(40_000) };
  const text = Buffer.from(JSON.stringify(toy));
  for (const [body, headers] of [
    [text, {}],
    [text, { "Content-Type": "Application/JSON; charset=utf-8" }],
    [gzipSync(text), { "Content-Encoding": "gzip" }],
    [deflateSync(text), { "Content-Encoding": "deflate" }],
    [text, { "Content-Encoding": "identity" }],
  ] as const)
    assert.deepEqual((await post("/toys", body, headers)).body, toy);
  isIdle(admission);
});

test("discards the body of a route that declares none", async (t) => {
  const { admission, post } = await serving(t);
  for (const [body, type] of [
    ['{"name":"a"}', "application/json"],
    ["{".repeat(100), "application/json"],
    ["x".repeat(4 * LIMIT), "text/plain"],
    ["x", ""],
    ["x", "no media type"],
  ] as const)
    assert.deepEqual((await post("/plain", body, { "Content-Type": type })).body, null);
  isIdle(admission);
});

describe("declared bodies that are refused", () => {
  const OK = '{"name":"a"}';
  const cases: Readonly<
    Record<string, readonly [body: string | Buffer, headers: Record<string, string>, status: number, RegExp]>
  > = {
    "malformed JSON": ['{"name":', {}, 400, /^InvalidMessage: .*not valid JSON: .*JSON input/],
    "JSON with something behind it": [`${OK}]`, {}, 400, /^InvalidMessage: .*position 12/],
    "a name that poisons prototypes": ['{"__proto__":{"a":1}}', {}, 400, /^InvalidMessage: .*"__proto__"/],
    "such a name behind others": [
      '{"a":"b","c":{"__proto__"\n:1}}',
      {},
      400,
      /^InvalidMessage: .*"__proto__"/,
    ],
    "such a name with escapes": ['{"_\\u005Fpr\\u006fto__" :1}', {}, 400, /^InvalidMessage: .*"__proto__"/],
    "bytes that are not UTF-8": [Buffer.from([0x22, 0xff, 0x22]), {}, 400, /^InvalidMessage: .*UTF-8/],
    "an empty body": ["", {}, 400, /^InvalidParameter: .*body must be object/],
    "a body without a required name": ['{"text":"a"}', {}, 400, /^InvalidParameter: .*'name'/],
    "a null where text is required": [
      '{"name":null}',
      {},
      400,
      /^InvalidParameter: .*body\/name must be string/,
    ],
    "a number where text is required": [
      '{"name":5}',
      {},
      400,
      /^InvalidParameter: .*body\/name must be string/,
    ],
    "a list where text is required": [
      '{"name":["a"]}',
      {},
      400,
      /^InvalidParameter: .*body\/name must be string/,
    ],
    "a name that is not declared": [
      '{"name":"a","nmae":"b"}',
      {},
      400,
      /^InvalidParameter: .*additional properties: "nmae"\.$/,
    ],
    "another media type": [
      OK,
      { "Content-Type": "text/plain" },
      415,
      /^Unsupported.*"text\/plain" was given/,
    ],
    "no media type at all": [OK, { "Content-Type": "a b" }, 415, /^UnsupportedMediaType: /],
    "an unknown encoding": [OK, { "Content-Encoding": "br" }, 400, /^InvalidMessage: .*"br"/],
    "bytes that are not gzip": [OK, { "Content-Encoding": "gzip" }, 400, /^InvalidMessage: .*gzip/],
    "a gzip stream that is cut off": [
      gzipSync(OK).subarray(0, 20),
      { "Content-Encoding": "gzip" },
      400,
      /^InvalidMessage: .*gzip/,
    ],
    "a body one byte over the limit": [sized(ROUTE_BODY_LIMIT + 1), {}, 413, /^TooLarge: .*65536 bytes/],
    "a body far over the limit": [sized(6 * LIMIT), {}, 413, /^TooLarge: /],
    "a compressed body over the limit": [
      gzipSync(sized(20 * LIMIT)),
      { "Content-Encoding": "gzip" },
      413,
      /^TooLarge: /,
    ],
  };
  for (const [name, [body, headers, status, reason]] of Object.entries(cases))
    test(`refuses ${name} with ${status}`, async (t) => {
      const { admission, seen, post } = await serving(t);
      const refused = await post("/toys", body, headers);
      assert.equal(refused.status, status);
      assert.match(`${refused.code}: ${refused.message}`, reason);
      assert.deepEqual(seen, { handled: 0, defects: [] });
      isIdle(admission);
      assert.equal((await post("/toys", OK)).status, 200);
    });
});

test("limits a body to what its route declares, and to what the service accepts", async (t) => {
  const { post } = await serving(t);
  assert.equal((await post("/small", sized(ROUTE_LIMIT))).status, 200);
  const refused = await post("/small", sized(ROUTE_LIMIT + 1));
  assert.deepEqual([refused.status, refused.code], [413, "TooLarge"]);
  const expanded = await post("/small", gzipSync(sized(ROUTE_LIMIT + 1)), { "Content-Encoding": "gzip" });
  assert.deepEqual([expanded.status, expanded.code], [413, "TooLarge"]);
  assert.equal((await post("/toys", sized(ROUTE_BODY_LIMIT))).status, 200);
  assert.equal((await post("/large", sized(LIMIT))).status, 200);
  assert.equal((await post("/large", sized(LIMIT + 1))).status, 413);
});

test("reads a body that arrives byte by byte, and counts it in flight only when it is complete", async (t) => {
  const { admission, seen, open } = await serving(t);
  const text = '{"name":"a"}';
  const socket = await open("POST /toys HTTP/1.1");
  socket.write(`Content-Length: ${text.length}\r\n\r\n`);
  for (const [at, byte] of [...text.slice(0, -1)].entries()) {
    socket.write(byte);
    await turnsUntil(() => admission.bodyBytes === at + 1);
    assert.deepEqual([admission.inFlight, seen.handled], [0, 0]);
  }
  socket.write("}");
  assert.match(String(await once(socket, "data")), /^HTTP\/1\.1 200 .*\{"body":\{"name":"a"\}\}$/s);
  isIdle(admission);
  socket.destroy();
});

test("releases a body whose client disconnects in the middle, and does not run the handler", async (t) => {
  const { admission, seen, open } = await serving(t);
  const socket = await open("POST /toys HTTP/1.1");
  socket.write(`Content-Length: 20000\r\n\r\n${"x".repeat(10_000)}`);
  await turnsUntil(() => admission.bodyBytes === 10_000);
  socket.destroy();
  await turnsUntil(() => admission.bodyBytes === 0);
  assert.deepEqual([admission.inFlight, seen.handled, seen.defects.length], [0, 0, 0]);
});

test("answers 408 to a body that does not arrive in time, and releases what it has of it", async (t) => {
  const { admission, seen, open } = await serving(t, {
    server: { timeouts: { requestMs: 100, headersMs: 100, checkMs: 20 } },
  });
  const socket = await open("POST /toys HTTP/1.1");
  socket.write(`Content-Length: 20\r\n\r\n{"name"`);
  assert.match(String(await once(socket, "data")), /^HTTP\/1\.1 408 /);
  await turnsUntil(() => admission.bodyBytes === 0);
  assert.equal(seen.handled, 0);
});

test("releases the request of a client that disconnects while its handler runs", async (t) => {
  const gate = Promise.withResolvers<void>();
  const { admission, seen, open } = await serving(t, { until: gate.promise });
  const socket = await open("POST /toys HTTP/1.1");
  socket.write('Content-Length: 12\r\n\r\n{"name":"a"}');
  await turnsUntil(() => seen.handled === 1);
  assert.deepEqual([admission.inFlight, admission.bodyBytes], [1, 12]);
  socket.destroy();
  gate.resolve();
  await turnsUntil(() => admission.inFlight === 0);
  isIdle(admission);
});

test("releases the request of a handler that fails", async (t) => {
  const { admission, seen, post } = await serving(t);
  const failed = await post("/broken", '{"name":"a"}');
  assert.deepEqual([failed.status, failed.code, seen.defects.length], [500, "InternalError", 1]);
  isIdle(admission);
});

test("answers bodies beyond the memory limit with Throttled, also after decompression, and accepts small ones", async (t) => {
  const { admission, seen, post } = await serving(t, { limits: { bodyBytes: 30_000 } });
  for (const [body, headers] of [
    [sized(40_000), {}],
    [gzipSync(sized(40_000)), { "Content-Encoding": "gzip" }],
  ] as const) {
    const refused = await post("/toys", body, headers);
    assert.deepEqual([refused.status, refused.code], [503, "Throttled"]);
    assert.equal(refused.headers.get("retry-after"), "5");
  }
  assert.deepEqual([seen.handled, admission.shed.bodies], [0, 2]);
  assert.equal((await post("/toys", '{"name":"a"}')).status, 200);
  isIdle(admission);
});

test("counts a body once if its encoding is identity", async (t) => {
  const { admission, post } = await serving(t, { limits: { bodyBytes: 30_000 } });
  assert.equal((await post("/toys", sized(20_000), { "Content-Encoding": "identity" })).status, 200);
  isIdle(admission);
});

test("answers a request beyond capacity with Throttled before its body is parsed", async (t) => {
  const { admission, post } = await serving(t, { limits: { inFlight: 0 } });
  const refused = await post("/toys", "{".repeat(1000));
  assert.deepEqual([refused.status, refused.code], [503, "Throttled"]);
  isIdle(admission);
});
