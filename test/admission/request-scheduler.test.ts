/**
 * If more requests arrive at once than are read in one turn of the event loop, the other connections are
 * paused for a turn after their response, and then served again.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { IncomingMessage, ServerResponse } from "node:http";
import { connect, Socket } from "node:net";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Admission, MAX_PAUSE_MS, MAX_PER_ITERATION } from "#admission/admission.ts";
import { limitsFor } from "#admission/limits.ts";
import { Fault } from "#contract/faults.ts";
import { BodyReader } from "#http/body/body.ts";
import { HttpServer } from "#http/server.ts";

test("pauses connections beyond the limit of one event-loop turn after their answer, and serves all of them", async (t) => {
  const BEYOND = 44;
  const paused: (string | undefined)[] = [];
  const server = new HttpServer((request, response) => {
    request.socket.once("pause", () => paused.push(request.url));
    response.end("served");
    return true;
  }, new BodyReader(1024));
  const port = await server.listen("127.0.0.1", 0);
  const sockets = Array.from({ length: MAX_PER_ITERATION + BEYOND }, () => connect(port, "127.0.0.1"));
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close(0);
  });
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const all = async (path: string): Promise<void> => {
    const answered = sockets.map((socket) => once(socket, "data"));
    // Written together, so that all are ready when the server polls next.
    for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await Promise.all(answered);
  };
  // Connections are accepted one by one, and so are their first requests.
  await all("/first");
  for (const path of ["/second", "/third"]) {
    await all(path);
    assert.equal(paused.filter((one) => one === path).length, BEYOND, paused.join(" "));
  }
});

test("sheds every other call while connections are paused for too long, and none afterwards", async () => {
  let now = 0;
  const admission = new Admission(limitsFor(1024), () => now);
  const take = (): { readonly isShed: boolean; readonly answered: () => void } => {
    const request = new IncomingMessage(new Socket());
    const response = new ServerResponse(request);
    admission.arrived(request, response);
    const before = admission.shed.calls;
    try {
      admission.enter();
      admission.leave();
    } catch (error) {
      assert.ok(error instanceof Fault && error.code === "Throttled");
    }
    return { isShed: admission.shed.calls > before, answered: () => response.emit("close") };
  };
  const take4 = (): readonly boolean[] => Array.from({ length: 4 }, () => take().isShed);
  /**
   * More than two turns' worth of requests arrive at once and are answered. The next turn comes `pauseMs`
   * later.
   */
  const crowd = async (pauseMs: number): Promise<void> => {
    const calls = Array.from({ length: 3 * MAX_PER_ITERATION }, take);
    for (const { answered } of calls) answered();
    now += pauseMs;
    await setImmediate();
  };
  await crowd(MAX_PAUSE_MS);
  assert.deepEqual(take4(), [false, false, false, false]);
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  await crowd(MAX_PAUSE_MS + 1);
  assert.deepEqual(take4(), [true, false, true, false]);
  // No requests meanwhile.
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  assert.deepEqual(take4(), [false, false, false, false]);
});
