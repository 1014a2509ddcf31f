/** Clients that send requests and do not read: their memory is limited, and others are served. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { BodyReader } from "#http/body/body.ts";
import { Connection, MAX_PIPELINED } from "#http/connections.ts";
import { sendChunks } from "#http/send.ts";
import { HttpServer } from "#http/server.ts";
import type { PemPair } from "#http/tls/options.ts";
import { MAX_HELD, MAX_REQUESTS, UnreadResponses } from "#http/unread-responses.ts";
import { temporaryPair } from "../certificate-files.ts";
import { Installation } from "../cli/program.ts";
import { memoryOf } from "../process-memory.ts";
import { openSockets } from "./open-sockets.ts";

const MIB = 1024 ** 2;

test("bounds the memory for clients that keep sending requests without reading responses", {
  skip: process.platform === "linux" ? false : "memory is read from /proc",
}, async (t) => {
  const [CONNECTIONS, SENT] = [300, 64 * 1024];
  const home = new Installation();
  t.after(() => home.remove());
  const served = await home.serve(["--api-key", "0123456789ABCDEF"]);
  const { port, host } = new URL(served.endpoint);
  const ask = () => served.call("Client.TestApiConnection", { APIKey: "0123456789ABCDEF" });
  assert.equal(await ask(), "true");
  const before = memoryOf(served.pid).now;
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Field.GetFields xmlns="http://${host}"><APIKey>0123456789ABCDEF</APIKey></Field.GetFields></e:Body></e:Envelope>`;
  const shapes = [
    `GET /default.asmx?wsdl HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    `GET /nothing HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${"x".repeat(8000)}\r\n\r\n`,
    `POST /default.asmx HTTP/1.1\r\nHost: ${host}\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  ];
  const floods = shapes.map((request) => request.repeat(Math.ceil(SENT / request.length)));
  const sockets = Array.from({ length: CONNECTIONS }, (_, n) => {
    const socket = connect(Number(port), "127.0.0.1").pause();
    socket.on("error", () => {});
    socket.write(`${floods[n % floods.length]}`);
    return socket;
  });
  for (const socket of sockets) if (socket.connecting) await once(socket, "connect");
  // Until nothing has changed for a while: the server has read as much as it will.
  for (let last = -1, same = 0; same < 5; ) {
    // With so many concurrent requests, the response may be Throttled.
    await ask().catch(() => {});
    const written = sockets.reduce(
      (sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength,
      0,
    );
    same = written === last ? same + 1 : 0;
    last = written;
  }
  const grown = memoryOf(served.pid).most - before;
  t.diagnostic(`${Math.round(grown)} MiB more`);
  assert.ok(grown < 384, `${grown} MiB more`);
  for (const socket of sockets) socket.destroy();
  assert.equal(await ask(), "true");
});

interface Settings {
  readonly mostUnsent: number;
  readonly certificate?: PemPair | null;
}
/** /large answers with a MiB, /list with an endless list, /never not at all, any other path with one word. */
async function serving(t: TestContext, { mostUnsent, certificate = null }: Settings) {
  const dropped: string[] = [];
  async function* endless(): AsyncGenerator<string> {
    for (;;) yield "x".repeat(MIB);
  }
  let requests = 0;
  const server = new HttpServer(
    ({ url }, response) => {
      requests += 1;
      if (url === "/list") void sendChunks(response, 200, {}, endless());
      else if (url !== "/never") response.end(url === "/large" ? Buffer.alloc(MIB) : "served");
      return true;
    },
    new BodyReader(1024),
    { mostUnsent, certificate, onDropped: (why) => dropped.push(why) },
  );
  let parsed = 0;
  server.fastify.server.on("request", () => {
    parsed += 1;
  });
  const open = await openSockets(t, server, certificate !== null);
  return { open, dropped, requests: () => requests, parsed: () => parsed };
}
const get = (path: string, count = 1): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count);
const isServed = async (socket: Socket): Promise<void> => {
  socket.write(get("/"));
  assert.match(String((await once(socket, "data"))[0]), /served/);
};
const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : once(socket.resume(), "close");

for (const [name, pair] of [
  ["HTTP", null],
  ["HTTPS", temporaryPair("localhost")],
] as const) {
  test(`closes a connection with more unread response bytes than allowed (${name})`, async (t) => {
    const { open, dropped } = await serving(t, { mostUnsent: Number.POSITIVE_INFINITY, certificate: pair });
    const [greedy, good] = [await open(), await open()];
    greedy.pause();
    greedy.write(get("/large", 40));
    while (dropped.length === 0) await isServed(good);
    assert.deepEqual(dropped, ["unread"]);
    await closed(greedy);
  });

  test(`closes a connection with too many unanswered requests, and serves no more of them (${name})`, async (t) => {
    const { open, dropped, requests } = await serving(t, {
      mostUnsent: Number.POSITIVE_INFINITY,
      certificate: pair,
    });
    const [greedy, good] = [await open(), await open()];
    greedy.pause();
    let served = 0;
    // Fewer at a time than the limit for one turn of the event loop.
    for (let sent = 0; sent < 2 * MAX_REQUESTS && dropped.length === 0; sent += MAX_PIPELINED / 2) {
      greedy.write(get("/never", MAX_PIPELINED / 2));
      await isServed(good);
      served += 1;
    }
    await closed(greedy);
    // What arrived over TLS while the connection was paused is read in one turn of the event loop.
    assert.match(dropped.join(), pair === null ? /^unread$/ : /^(?:unread|pipelined)$/);
    assert.ok(requests() - served <= MAX_REQUESTS, `${requests()}`);
  });

  test(`answers 64 requests that are sent at once (${name})`, async (t) => {
    const { open, dropped } = await serving(t, { mostUnsent: 16 * MIB, certificate: pair });
    const socket = await open();
    for (let n = 0; n < 20; n += 1) {
      socket.write(get("/", MAX_PIPELINED));
      let text = "";
      while (text.split("served").length - 1 < MAX_PIPELINED) text += String((await once(socket, "data"))[0]);
    }
    assert.deepEqual(dropped, []);
  });

  test(`closes a connection that sends 1,000 requests at once, and serves at most 64 (${name})`, async (t) => {
    const { open, dropped, requests, parsed } = await serving(t, { mostUnsent: 16 * MIB, certificate: pair });
    const [greedy, good] = [await open(), await open()];
    greedy.write(get("/", 1000));
    await closed(greedy);
    assert.ok(requests() <= MAX_PIPELINED, `${requests()}`);
    assert.ok(parsed() <= MAX_PIPELINED + 1, `${parsed()} were made into requests`);
    assert.deepEqual(dropped, ["pipelined"]);
    await isServed(good);
  });
}

test("closes the connections that have read nothing for longest beyond the total limit, and serves those that read", async (t) => {
  const { open, dropped } = await serving(t, { mostUnsent: 16 * MIB });
  const good = await open();
  const greedy: Socket[] = [];
  for (let n = 0; n < 30; n += 1) {
    const socket = await open();
    socket.pause();
    socket.write(get("/large", 6));
    greedy.push(socket);
    await isServed(good);
  }
  const [first, last] = [greedy[0] as Socket, greedy.at(-1) as Socket];
  await closed(first);
  assert.ok(dropped.length > 10 && dropped.length < 30, `${dropped.length}`);
  assert.ok(dropped.every((why) => why === "unread"));
  await isServed(good);
  assert.equal(last.closed, false);
});

test("counts unread bytes exactly, in order of the last read, and forgets closed connections", () => {
  const dropped: number[] = [];
  const unsent = new UnreadResponses(100, () => dropped.push(unsent.bytes));
  const connections = Array.from({ length: 4 }, () => new Connection(new Socket(), null));
  const [a, b, c, d] = connections as [Connection, Connection, Connection, Connection];
  for (const connection of [a, b, c]) unsent.hold(connection, 30);
  assert.equal(unsent.bytes, 90);
  unsent.release(a, 10);
  unsent.hold(d, 30);
  // `b` has read nothing for longest: `a` has read something since.
  assert.deepEqual(
    connections.map(({ socket }) => socket.destroyed),
    [false, true, false, false],
  );
  assert.equal(unsent.bytes, 80);
  unsent.hold(b, 1000);
  unsent.release(b, 30);
  assert.equal(unsent.bytes, 80, "what is closed does not count any more");
  unsent.release(c, 30);
  unsent.release(a, 20);
  unsent.forget(d);
  unsent.forget(d);
  assert.equal(unsent.bytes, 0);
  assert.equal(dropped.length, 1);
  unsent.hold(c, MAX_HELD + 1);
  assert.equal(c.socket.destroyed, true);
  assert.equal(unsent.bytes, 0);
});
