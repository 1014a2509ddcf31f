/**
 * Shutdown of the HTTP server: responses in flight are finished, hanging connections closed after a timeout.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { BodyReader } from "#http/body/body.ts";
import { HttpServer } from "#http/server.ts";

const request = "GET /hot HTTP/1.1\r\nHost: x\r\n\r\n";

/** A server whose responses the test sends, and a connection with one request in flight. */
async function inFlight() {
  const asked = Promise.withResolvers<ServerResponse>();
  const server = new HttpServer((_request, response) => {
    asked.resolve(response);
    return true;
  }, new BodyReader(1024));
  const socket = connect(await server.listen("127.0.0.1", 0), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  const closed = once(socket, "close");
  socket.write(request);
  const response = await asked.promise;
  return { server, socket, response, closed, text: () => text };
}

test("sends a response in flight during shutdown, and closes its connection", async () => {
  const { server, response, closed, text } = await inFlight();
  const closing = server.close(30_000);
  response.end("done");
  await closing;
  await closed;
  assert.match(text(), /^HTTP\/1\.1 200 OK\r\n[\s\S]*done/);
});

test("closes hanging connections at the shutdown timeout", async () => {
  const { server, closed } = await inFlight();
  await server.close(50);
  await closed;
});
