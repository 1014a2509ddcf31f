/**
 * Floods: the program far beyond its capacity stays up, within its memory, and serves calls. They are tests
 * of `npm run test:faults`, also of its short form.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { Installation } from "../cli/program.ts";
import { assertMayOpen } from "../may-open.ts";
import { memoryOf } from "../process-memory.ts";

const skip = process.platform === "linux" ? false : "memory is read from /proc";

async function opened(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  // In batches: the accept queue is short.
  while (sockets.length < count) {
    const some = Array.from(
      { length: Math.min(200, count - sockets.length) },
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, "127.0.0.1", () => resolve(socket));
          socket.once("error", reject);
        }),
    );
    sockets.push(...(await Promise.all(some)));
  }
  for (const socket of sockets) socket.on("error", () => {});
  return sockets;
}

test("serves calls beside ten thousand idle connections", { skip }, async (t) => {
  const count = 10_000;
  assertMayOpen(count);
  const home = new Installation();
  t.after(() => home.remove());
  const served = await home.serve(["--api-key", "0123456789ABCDEF"]);
  const ask = () => served.call("Client.TestApiConnection", { APIKey: "0123456789ABCDEF" });
  assert.equal(await ask(), "true");
  const before = memoryOf(served.pid).now;
  const sockets = await opened(Number(new URL(served.endpoint).port), count);
  for (let n = 0; n < 20; n += 1) assert.equal(await ask(), "true");
  const each = ((memoryOf(served.pid).now - before) * 1024) / count;
  assert.ok(each < 32, `${each} KiB for each of ${count} connections`);
  t.diagnostic(`${each.toFixed(1)} KiB for each of ${count} connections`);
  for (const socket of sockets) socket.destroy();
});

test("answers large bodies on a path that takes none, without keeping them in memory", {
  skip,
}, async (t) => {
  const [CONNECTIONS, SIZE] = [100, 4 * 1024 ** 2];
  const home = new Installation();
  t.after(() => home.remove());
  const served = await home.serve();
  const before = memoryOf(served.pid).now;
  const sockets = await opened(Number(new URL(served.endpoint).port), CONNECTIONS);
  const head = `POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${SIZE}\r\n\r\n`;
  const most = Buffer.alloc(SIZE - 1, "x");
  const sent = (socket: Socket, bytes: string | Buffer) =>
    new Promise((resolve) => socket.write(bytes, resolve));
  // No request ends before all are almost complete, so a server that buffers them would have to buffer all.
  await Promise.all(sockets.map((socket) => sent(socket, head).then(() => sent(socket, most))));
  const answers = sockets.map((socket) => once(socket.setEncoding("latin1"), "data"));
  for (const socket of sockets) socket.write("x");
  for (const [answer] of await Promise.all(answers)) assert.match(answer, /^HTTP\/1\.1 404 /);
  const grown = memoryOf(served.pid).most - before;
  t.diagnostic(`${Math.round(grown)} MiB for ${(CONNECTIONS * SIZE) / 1024 ** 2} MiB of bodies`);
  assert.ok(grown < 200, `${grown} MiB`);
  for (const socket of sockets) socket.destroy();
});

test("answers twenty thousand concurrent writes with success or Throttled, within bounded memory", {
  skip,
}, async (t) => {
  const [CONNECTIONS, EACH] = [400, 50];
  const home = new Installation();
  t.after(() => home.remove());
  const served = await home.serve(["--api-key", "0123456789ABCDEF"]);
  const { port, origin } = new URL(served.endpoint);
  const request = (address: string): string => {
    const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Subscriber.Add xmlns="${origin}"><APIKey>0123456789ABCDEF</APIKey><SubscribersListID>1</SubscribersListID><EMail>${address}</EMail></Subscriber.Add></e:Body></e:Envelope>`;
    return `POST /default.asmx HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const count = (text: string, what: RegExp): number => text.match(what)?.length ?? 0;
  const sockets = await opened(Number(port), CONNECTIONS);
  const answers = sockets.map(
    (socket, n) =>
      new Promise<readonly [done: number, throttled: number]>((resolve, reject) => {
        let text = "";
        socket.on("data", (chunk) => {
          text += chunk;
          const done = count(text, /AddResult>0</g);
          const throttled = count(text, /<code>Throttled</g);
          if (done + throttled === EACH) resolve([done, throttled]);
        });
        socket.on("close", () => reject(new Error(`cut off after ${text.slice(-300)}`)));
        // All requests in one write, without waiting for a response.
        socket.write(Array.from({ length: EACH }, (_, m) => request(`p${n}.${m}@example.org`)).join(""));
      }),
  );
  const results = await Promise.all(answers);
  const done = results.reduce((sum, [one]) => sum + one, 0);
  const throttled = results.reduce((sum, [, one]) => sum + one, 0);
  assert.equal(done + throttled, CONNECTIONS * EACH);
  assert.ok(done > 0);
  const lists = await served.call("Client.GetSubscribersLists", { APIKey: "0123456789ABCDEF" });
  assert.match(lists, new RegExp(`<SubscribersQuantity>${done}<`), "what was done, and nothing else");
  const { most } = memoryOf(served.pid);
  t.diagnostic(`${done} done, ${throttled} throttled, at most ${Math.round(most)} MiB`);
  assert.ok(most < 512, `${most} MiB`);
  for (const socket of sockets) socket.destroy();
});
