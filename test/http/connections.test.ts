/** Connection limits: a share for each client, and eviction of the longest idle connection. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { BodyReader } from "#http/body/body.ts";
import { Connections, type Dropped } from "#http/connections.ts";
import { HttpServer } from "#http/server.ts";
import type { PemPair } from "#http/tls/options.ts";
import { temporaryPair } from "../certificate-files.ts";
import { openSockets } from "./open-sockets.ts";

interface Settings {
  readonly most: number;
  readonly mostPerClient?: number;
  readonly clientOf?: (socket: Socket) => string | null;
  readonly certificate?: PemPair | null;
}

/** A server that answers GET /now at once, and everything else when the test says so. */
async function serving(t: TestContext, { certificate = null, ...limits }: Settings) {
  const dropped: string[] = [];
  const waiting: ServerResponse[] = [];
  const server = new HttpServer(
    (request, response) => {
      if (request.url === "/now") response.end("served");
      else waiting.push(response);
      return true;
    },
    new BodyReader(1024),
    {
      certificate,
      connections: { mostPerClient: Number.POSITIVE_INFINITY, clientOf: () => null, ...limits },
      onDropped: (why) => dropped.push(why),
    },
  );
  const open = await openSockets(t, server, certificate !== null);
  return { open, dropped, waiting };
}

const send = (socket: Socket, path = "/now"): void => {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
};
async function ask(socket: Socket): Promise<void> {
  send(socket);
  assert.match(String((await once(socket, "data"))[0]), /served/);
}
const closed = (socket: Socket): Promise<unknown> =>
  socket.closed ? Promise.resolve() : once(socket.resume(), "close");

for (const [name, pair] of [
  ["HTTP", null],
  ["HTTPS", temporaryPair("localhost")],
] as const) {
  test(`closes the longest idle connection for a new one at the limit (${name})`, async (t) => {
    const { open, dropped } = await serving(t, { most: 3, certificate: pair });
    const [first, second, third] = [await open(), await open(), await open()];
    await ask(third);
    await ask(first);
    // `second` has never sent anything, so it is idle from its start; `third` has been idle for longer than
    // `first`.
    const fourth = await open();
    await closed(second);
    await ask(fourth);
    await open();
    await closed(third);
    assert.deepEqual(dropped, ["idle", "idle"]);
    await ask(first);
    await ask(fourth);
  });

  test(`never closes a connection in the middle of a request for a new one (${name})`, async (t) => {
    const { open, dropped, waiting } = await serving(t, { most: 2, certificate: pair });
    const [first, second] = [await open(), await open()];
    for (const socket of [first, second]) send(socket, "/later");
    while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const refused = await open().catch(() => null);
    if (refused !== null) await closed(refused);
    assert.deepEqual(dropped, ["full"]);
    const answers = [first, second].map((socket) => once(socket, "data"));
    for (const response of waiting) response.end("done");
    for (const [answer] of await Promise.all(answers)) assert.match(String(answer), /done/);
    await ask(await open());
    assert.deepEqual(dropped, ["full", "idle"]);
  });

  test(`limits the connections of one client to its share, and frees it when they close (${name})`, async (t) => {
    const clientOf = (socket: Socket): string => (socket.remotePort === undefined ? "gone" : "192.0.2.1");
    const { open, dropped } = await serving(t, { most: 100, mostPerClient: 2, clientOf, certificate: pair });
    const [first, second] = [await open(), await open()];
    for (let n = 0; n < 3; n += 1) {
      const refused = await open().catch(() => null);
      if (refused !== null) await closed(refused);
    }
    assert.deepEqual(dropped, ["share", "share", "share"]);
    await ask(first);
    second.destroy();
    let third: Socket | null = null;
    while (third === null) {
      third = await open().catch(() => null);
      const isTaken =
        third !== null &&
        (await Promise.race([
          ask(third).then(
            () => true,
            () => false,
          ),
          closed(third).then(() => false),
        ]));
      if (!isTaken) third = null;
    }
    await ask(first);
    await ask(third);
  });
}

test("counts a connection with several pipelined requests as busy until all are answered", async (t) => {
  const { open, waiting } = await serving(t, { most: 2 });
  const [busy, idle] = [await open(), await open()];
  for (let n = 0; n < 3; n += 1) send(busy, "/later");
  while (waiting.length < 3) await new Promise((resolve) => setImmediate(resolve));
  waiting[0]?.end("one");
  assert.match(String((await once(busy, "data"))[0]), /one/);
  const next = await open();
  await closed(idle);
  waiting[1]?.end("two");
  waiting[2]?.end("three");
  while (!/three/.test(String((await once(busy, "data"))[0])));
  await ask(next);
  await open();
  await closed(busy);
});

test("keeps no record of clients whose connections are closed", () => {
  let nth = 0;
  const dropped: Dropped[] = [];
  const limits = {
    most: 100,
    mostPerClient: 5,
    clientOf: () => `198.51.100.${nth % 250}/${Math.floor(nth / 7)}`,
  };
  const connections = new Connections(limits, (why) => dropped.push(why));
  const open: Socket[] = [];
  for (nth = 0; nth < 20_000; nth += 1) {
    const socket = new Socket();
    if (connections.take(socket) !== null) open.push(socket);
    assert.ok(connections.open <= 100 && connections.clients <= 100);
  }
  assert.ok(dropped.every((why) => why === "idle"));
  // An evicted socket is removed a second time when it closes, which must not count.
  for (const socket of open) socket.emit("close");
  assert.deepEqual([connections.open, connections.clients], [0, 0]);
});
