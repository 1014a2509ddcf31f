/** A body in very many tiny chunks does not block other connections. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { BodyReader, CHUNKS_AT_ONCE, lengthOf } from "#http/body/body.ts";

const CHUNKS = 20_000;
const LIMIT = 1024 ** 2;

/** The most chunks that were read between two turns of the event loop, and the result of the read. */
async function takenAtOnce<Result>(t: TestContext, read: (request: IncomingMessage) => Promise<Result>) {
  let [taken, most, isOver] = [0, 0, false];
  const nextTurn = (): void => {
    most = Math.max(most, taken);
    taken = 0;
    if (!isOver) setImmediate(nextTurn);
  };
  const done = Promise.withResolvers<Result>();
  const server = createServer((request, response) => {
    nextTurn();
    request.on("data", () => {
      taken += 1;
    });
    read(request).then(done.resolve, done.reject);
    void done.promise.then(() => response.end());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  t.after(() => socket.destroy());
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(CHUNKS)}0\r\n\r\n`,
  );
  const result = await done.promise;
  isOver = true;
  return { result, most: Math.max(most, taken) };
}

describe("bodies in chunks of one byte", () => {
  test("yields to the event loop while it reads a body in chunks of one byte, and reads all of it", async (t) => {
    const { result, most } = await takenAtOnce(t, (request) => new BodyReader(LIMIT).read(request));
    assert.equal(lengthOf(result.chunks), CHUNKS);
    assert.ok(most <= 2 * CHUNKS_AT_ONCE, `${most} chunks in one turn`);
  });
  test("yields to the event loop while it discards a body in chunks of one byte", async (t) => {
    const { most } = await takenAtOnce(t, (request) => new BodyReader(LIMIT).discard(request));
    assert.ok(most <= 2 * CHUNKS_AT_ONCE, `${most} chunks in one turn`);
  });
});
