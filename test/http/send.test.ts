/** Sending in chunks: back-pressure, disconnecting clients, failing sources. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { sendChunks } from "#http/send.ts";

const CHUNK = "x".repeat(64 * 1024);
const CHUNKS = 2000;

interface Source {
  made: number;
  isReturned: boolean;
}
async function* chunks(source: Source, breakAfter = Number.POSITIVE_INFINITY): AsyncGenerator<string> {
  try {
    for (let n = 0; n < CHUNKS; n += 1) {
      if (n >= breakAfter) throw new Error("the database went away");
      source.made += 1;
      yield CHUNK;
    }
  } finally {
    source.isReturned = true;
  }
}

async function serving(
  handle: (response: ServerResponse) => Promise<void>,
): Promise<{ server: Server; response: IncomingMessage }> {
  const server = createServer((_request, response) => void handle(response).catch(() => {}));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(get({ port, host: "127.0.0.1", agent: false }), "response")) as [
    IncomingMessage,
  ];
  return { server, response };
}
const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("produces no further chunks for a client that does not read", async () => {
  const source: Source = { made: 0, isReturned: false };
  const { server, response } = await serving((to) => sendChunks(to, 200, {}, chunks(source)));
  response.pause();
  await turns(5000);
  assert.ok(
    source.made < CHUNKS / 4,
    `${source.made} of ${CHUNKS} were made although the client does not read`,
  );
  let length = 0;
  for await (const chunk of response) length += (chunk as Buffer).length;
  assert.equal(length, CHUNKS * CHUNK.length);
  server.close();
});

test("has sent a chunk before it requests the next one", async () => {
  const [size, count] = [256 * 1024, 40];
  const memory = Buffer.alloc(size);
  async function* reused(): AsyncGenerator<Buffer> {
    for (let n = 0; n < count; n += 1) yield memory.fill(n);
  }
  const { server, response } = await serving((to) => sendChunks(to, 200, {}, reused()));
  response.pause();
  await turns(100);
  const received: Buffer[] = [];
  for await (const chunk of response) received.push(chunk as Buffer);
  const all = Buffer.concat(received);
  assert.equal(all.length, size * count);
  for (let n = 0; n < count; n += 1)
    assert.ok(all.subarray(n * size, (n + 1) * size).equals(Buffer.alloc(size, n)), `chunk ${n}`);
  server.close();
});

test("stops producing chunks when the client disconnects", async () => {
  const source: Source = { made: 0, isReturned: false };
  let done: Promise<void> = Promise.resolve();
  const { server, response } = await serving((to) => {
    done = sendChunks(to, 200, {}, chunks(source));
    return done;
  });
  response.pause();
  await turns(100);
  response.destroy();
  await done;
  assert.equal(source.isReturned, true);
  assert.ok(source.made < CHUNKS);
  server.close();
});

test("closes the connection when chunks fail, so that the client notices", async () => {
  const source: Source = { made: 0, isReturned: false };
  let failure: unknown = null;
  const { server, response } = await serving(async (to) => {
    await sendChunks(to, 200, {}, chunks(source, 3)).catch((error: unknown) => {
      failure = error;
    });
  });
  await assert.rejects(async () => {
    for await (const _chunk of response);
  });
  assert.match(String(failure), /the database went away/);
  server.close();
});
