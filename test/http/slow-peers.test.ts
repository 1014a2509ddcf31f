/**
 * Slow, stalled and vanished clients: their connections are closed and their memory is freed, without effect
 * on others.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { type ListSlot, ListSlots } from "#admission/list-slots.ts";
import { BodyReader } from "#http/body/body.ts";
import { sendChunks } from "#http/send.ts";
import { HttpServer, type Timeouts } from "#http/server.ts";

/** Long enough for clients that are not slow on purpose, and short enough to wait for. */
const never = 1_000_000;
const calm: Timeouts = {
  requestMs: never,
  headersMs: never,
  keepAliveMs: never,
  silenceMs: never,
  checkMs: 20,
};

async function serving(
  t: TestContext,
  timeouts: Partial<Timeouts>,
  handle: (request: IncomingMessage, response: ServerResponse) => void = (request, response) => {
    request.resume();
    request.on("end", () => response.end("served"));
  },
) {
  const server = new HttpServer(
    (request, response) => {
      handle(request, response);
      return true;
    },
    new BodyReader(1024),
    { timeouts: { ...calm, ...timeouts } },
  );
  const port = await server.listen("127.0.0.1", 0);
  t.after(() => server.close(0));
  return async (): Promise<{ socket: Socket; text: () => string; closed: Promise<unknown> }> => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", () => {});
    await once(socket, "connect");
    // Not `once` of node:events, which rejects if the connection is reset during a write.
    const closed = new Promise((resolve) => socket.once("close", resolve));
    return { socket, text: () => text, closed };
  };
}

const whole = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nok";

/** Sends one byte after the other while the connection is open. */
function drip(socket: Socket, byte: string): void {
  let isHeard = true;
  // After incoming data is read: writing to a connection that was reset would discard a response received
  // before.
  const timer = setInterval(() => setImmediate(() => isHeard && socket.write(byte)), 10);
  for (const end of ["data", "close"])
    socket.once(end, () => {
      isHeard = false;
      clearInterval(timer);
    });
}

test("closes a connection whose headers never end, however steadily they arrive", async (t) => {
  const open = await serving(t, { headersMs: 200, requestMs: 300 });
  const slow = await open();
  slow.socket.write("POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  drip(slow.socket, "x");
  const good = await open();
  good.socket.write(whole);
  await slow.closed;
  assert.match(slow.text(), /^HTTP\/1\.1 408 /);
  good.socket.write(whole);
  while (!/served[\s\S]*served/.test(good.text())) await once(good.socket, "data");
  good.socket.destroy();
});

test("closes a connection whose body never ends, however steadily it arrives", async (t) => {
  let isAborted = false;
  const open = await serving(t, { headersMs: 200, requestMs: 300 }, (request, response) => {
    request.resume();
    request.on("error", () => {
      isAborted = true;
    });
    request.on("end", () => response.end());
  });
  const slow = await open();
  slow.socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
  drip(slow.socket, "x");
  await slow.closed;
  assert.match(slow.text(), /^HTTP\/1\.1 408 /);
  assert.equal(isAborted, true);
});

test("closes a connection without any request after a timeout", async (t) => {
  const open = await serving(t, { silenceMs: 100 });
  await (await open()).closed;
});

test("keeps a connection alive between requests, and closes it after the keep-alive timeout", async (t) => {
  const open = await serving(t, { keepAliveMs: 100 });
  const { socket, text, closed } = await open();
  socket.write(whole);
  await closed;
  assert.match(text(), /served/);
});

test("closes the connection of a client that has stopped reading, and frees its response", async (t) => {
  let isOver = false;
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield "x".repeat(64 * 1024);
    } finally {
      isOver = true;
    }
  }
  const sent = Promise.withResolvers<void>();
  const open = await serving(t, { silenceMs: 100 }, (_request, response) => {
    void sendChunks(response, 200, {}, endless()).then(sent.resolve, sent.reject);
  });
  const { socket } = await open();
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await sent.promise;
  assert.equal(isOver, true);
  socket.destroy();
});

test("closes a list that waits behind an unread response", async (t) => {
  const sent = Promise.withResolvers<void>();
  let isOver = false;
  async function* list(): AsyncGenerator<string> {
    try {
      for (;;) yield "x";
    } finally {
      isOver = true;
    }
  }
  const open = await serving(t, { silenceMs: 100 }, (request, response) => {
    if (request.url === "/large") response.end("x".repeat(6 * 1024 ** 2));
    else void sendChunks(response, 200, {}, list()).then(sent.resolve, sent.reject);
  });
  const { socket } = await open();
  socket.pause();
  for (const path of ["/large", "/list"]) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  await sent.promise;
  assert.equal(isOver, true);
  socket.destroy();
});

/** A list of 6 MiB, more than the kernel buffers, with a clock that the test controls. */
async function servingLists(t: TestContext, lists: number) {
  const [size, count] = [256 * 1024, 24];
  async function* chunks(): AsyncGenerator<string> {
    for (let n = 0; n < count; n += 1) yield "x".repeat(size);
  }
  const clock = { now: 0 };
  const slots = new ListSlots({ lists, listsPerAccount: lists }, () => clock.now);
  const taken: ListSlot[] = [];
  const sockets: Socket[] = [];
  const open = await serving(t, { silenceMs: 60_000 }, ({ url = "", socket }, response) => {
    const slot = slots.take(url);
    if (slot === null) return void response.writeHead(503).end();
    taken.push(slot);
    void sendChunks(response, 200, { Connection: "close" }, chunks(), slot).finally(() => slot.release());
    sockets.push(socket);
  });
  /** A client that stops reading as soon as a chunk has to wait for it. */
  const stall = async (path: string) => {
    const reader = await open();
    reader.socket.pause();
    reader.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const nth = taken.length;
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    while (taken[nth] === undefined) await turn();
    // A chunk that is sent at once waits for a few turns of the event loop at most.
    for (let same = 0; same < 1000; same += 1) {
      if (taken[nth].waitingSince === null) same = 0;
      await turn();
    }
    const length = (): number => reader.text().replaceAll(/[^x]/g, "").length;
    return { ...reader, length };
  };
  return { open, stall, clock, slots, sockets, whole: size * count };
}

test("sends the whole list to a client without progress for an hour while slots are free", async (t) => {
  const { stall, clock, slots, sockets, whole } = await servingLists(t, 2);
  const slow = await stall("/slow");
  clock.now += 3_600_000;
  const other = await stall("/other");
  const taken = slots.taken;
  assert.equal(taken, 2);
  assert.deepEqual(
    sockets.map(({ timeout }) => timeout),
    [60_000, 60_000],
    "no shorter time-out than for any other answer",
  );
  for (const { socket, closed, length } of [slow, other]) {
    socket.resume();
    await closed;
    assert.equal(length(), whole);
  }
  while (slots.taken > 0) await new Promise((resolve) => setImmediate(resolve));
});

test("gives the slot of a list without progress to another list after ten seconds", async (t) => {
  const { open, stall, clock, slots, whole } = await servingLists(t, 1);
  const stalled = await stall("/stalled");
  clock.now += 9999;
  const refused = await open();
  refused.socket.write("GET /early HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await refused.closed;
  assert.match(refused.text(), /^HTTP\/1\.1 503 /);
  clock.now += 1;
  const next = await stall("/next");
  stalled.socket.resume();
  await stalled.closed;
  assert.ok(stalled.length() < whole, "cut off, and able to tell");
  assert.equal(slots.taken, 1, "the list that was ended does not leave the slot of the next");
  next.socket.resume();
  await next.closed;
  assert.equal(next.length(), whole);
});

test("waits two minutes for progress, because the kernel reports that of slow clients late", async (t) => {
  const timeout = Promise.withResolvers<number | undefined>();
  const server = new HttpServer(({ socket }, response) => {
    timeout.resolve(socket.timeout);
    response.end();
    return true;
  }, new BodyReader(1024));
  const port = await server.listen("127.0.0.1", 0);
  t.after(() => server.close(0));
  const socket = connect(port, "127.0.0.1").resume();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  assert.equal(await timeout.promise, 120_000);
  socket.destroy();
});

test("adds one listener to a socket for very many lists on one connection", async (t) => {
  const listeners: number[] = [];
  async function* list(): AsyncGenerator<string> {
    for (;;) yield "x".repeat(64 * 1024);
  }
  const all = Promise.withResolvers<void>();
  let over = 0;
  const open = await serving(t, {}, ({ socket }, response) => {
    void sendChunks(response, 200, {}, list()).finally(() => {
      over += 1;
      if (over === 32) all.resolve();
    });
    listeners.push(socket.listenerCount("close"));
  });
  const { socket } = await open();
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(32));
  while (listeners.length < 32) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(new Set(listeners).size, 1, listeners.join(" "));
  socket.destroy();
  await all.promise;
});

test("keeps the connection of a client that reads slowly", async (t) => {
  const [size, count] = [256 * 1024, 24];
  async function* chunks(): AsyncGenerator<string> {
    for (let n = 0; n < count; n += 1) yield "x".repeat(size);
  }
  const open = await serving(t, { silenceMs: 1000 }, (_request, response) => {
    void sendChunks(response, 200, { Connection: "close" }, chunks());
  });
  const { socket, text, closed } = await open();
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  // The client reads a little, then pauses for less than the silence timeout, for several times that timeout
  // in all.
  socket.pause();
  const timer = setInterval(() => {
    socket.resume();
    socket.once("data", () => socket.pause());
  }, 20);
  await closed;
  clearInterval(timer);
  assert.equal(text().replaceAll(/[^x]/g, "").length, size * count);
});

test("answers plain text and 400 to what is not HTTP", async (t) => {
  const open = await serving(t, {});
  const { socket, text, closed } = await open();
  socket.write("<script>alert(1)</script>\r\n\r\n");
  await closed;
  assert.match(text(), /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*Content-Type: text\/plain\r\n/);
  assert.match(text(), /X-Content-Type-Options: nosniff/);
  assert.ok(!text().includes("script"));
});
