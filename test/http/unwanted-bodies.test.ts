/** Bodies on paths that take none are discarded, and the requests answered. */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { type Service, startService } from "../service.ts";

const KIB = 1024;
const LIMIT = 64 * KIB;

let service: Service;
before(async () => {
  service = await startService({ "body-limit": "64KiB" });
});
after(() => service.close());

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once("close", () => resolve()));

/**
 * Sends everything before it reads the response, as simple clients do. Returns what was received and how the
 * connection ended.
 */
async function send(
  method: string,
  path: string,
  headers: readonly string[],
  body: string,
): Promise<{ readonly text: string; readonly error: string | undefined }> {
  const socket = connect(service.port, "127.0.0.1");
  let [text, error]: [string, string | undefined] = ["", undefined];
  socket.on("error", ({ code }: NodeJS.ErrnoException) => {
    error = code;
  });
  const head = [`${method} ${path} HTTP/1.1`, "Host: x", `Content-Length: ${body.length}`, ...headers];
  socket.pause();
  await new Promise((resolve) => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`, resolve));
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
  });
  socket.resume();
  await closed(socket);
  return { text, error };
}
const CLOSE = "Connection: close";

describe("bodies on a path that takes none", () => {
  const deep = "[".repeat(4 * LIMIT);
  const cases = [
    ["POST", "/nothing", "Content-Type: application/json", deep, 404],
    ["POST", "/nothing", "Content-Type: text/plain", deep, 404],
    ["POST", "/nothing", "Content-Type: application/x-www-form-urlencoded", deep, 404],
    ["POST", "/nothing", "Content-Type: no media type at all", deep, 404],
    ["POST", "/nothing", "X-No-Type: 1", deep, 404],
    ["QUERY", "/nothing", "X-No-Type: 1", deep, 404],
    ["PATCH", "/healthz", "Content-Type: application/json", deep, 404],
    ["POST", "/api/v1/fields", "Content-Type: application/json", deep, 404],
    ["POST", "/%", "Content-Type: application/json", deep, 400],
    ["GET", "/healthz", "Content-Type: application/json", deep, 200],
    ["PUT", "/default.asmx", "Content-Type: text/xml", deep, 405],
    ["POST", "/nothing", "Content-Type: text/xml", deep, 500],
    ["POST", "/nothing", 'SOAPAction: ""', deep, 500],
    ["POST", "/%", "Content-Type: text/xml", deep, 500],
  ] as const;
  for (const [method, path, type, body, status] of cases)
    test(`answers ${status} to ${method} ${path} with a body of ${type}, unread`, async () => {
      const { text, error } = await send(method, path, [type, CLOSE], body);
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.equal(error, undefined, "the caller was not cut off while it sent");
    });

  test("serves the next request of the connection after an unwanted body", async () => {
    const socket = connect(service.port, "127.0.0.1");
    const post = `POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${LIMIT}\r\n\r\n`;
    socket.write(`${post}${"[".repeat(LIMIT)}GET /healthz HTTP/1.1\r\nHost: x\r\n${CLOSE}\r\n\r\n`);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    await closed(socket);
    assert.match(text, /^HTTP\/1\.1 404 [\s\S]*\r\n\r\nNot found\nHTTP\/1\.1 200 [\s\S]*\{"status":"ok"\}$/);
  });
});

for (const [method, path, type, status] of [
  ["POST", "/nothing", "application/json", 404],
  ["POST", "/nothing", "text/xml", 500],
  ["PUT", "/default.asmx", "text/xml", 405],
] as const)
  test(`answers a body without an end and closes the connection: ${method} ${path} of ${type}`, {
    timeout: 20_000,
  }, async () => {
    const socket = connect(service.port, "127.0.0.1");
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.write(
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${1e12}\r\n\r\n`,
    );
    const piece = "x".repeat(LIMIT);
    const more = (): void => {
      if (!socket.destroyed) socket.write(piece, () => setImmediate(more));
    };
    more();
    await closed(socket);
    assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} `));
  });
