/**
 * Clients that disconnect while their message is read: reading stops, and its memory is freed. One that only
 * closes its side still gets its response.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Call } from "#app/calls/call.ts";
import { Addresses } from "#asmx/addresses.ts";
import { AsmxEndpoint } from "#asmx/endpoint.ts";
import { BodyAborted, BodyReader, CHUNK_BYTES, decompress } from "#http/body/body.ts";
import { ClientAddresses } from "#http/client-address.ts";
import { HttpServer } from "#http/server.ts";
import { toyService } from "../toy-contract.ts";

const MIB = 1024 ** 2;
const LIMIT = 16 * MIB;
const NAMESPACE = "http://toys.example";

const large = (elements: string): Buffer =>
  Buffer.from(
    `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Toy.Put xmlns="${NAMESPACE}"><Colour>RED</Colour>${elements}</Toy.Put></e:Body></e:Envelope>`,
  );
const MESSAGE = large("<a/>".repeat((8 * MIB) / 4));
const CHUNKS = MESSAGE.length / CHUNK_BYTES;

async function serving(t: TestContext, until: Promise<void> = Promise.resolve()) {
  const bodies = new BodyReader(LIMIT);
  const seen = { carriedOut: 0, served: 0, defects: [] as unknown[] };
  const handle = async () => {
    seen.carriedOut += 1;
    await until;
    return "Done";
  };
  const handlers = Object.fromEntries(Object.keys(toyService.operations).map((name) => [name, handle]));
  const endpoint = new AsmxEndpoint({
    paths: [],
    isTaken: () => false,
    service: toyService,
    handlers: handlers as never,
    addresses: new Addresses({ baseUrl: NAMESPACE, namespaces: [], scheme: "http" }),
    bodies,
    observer: {
      posted: () => {},
      served: () => {
        seen.served += 1;
      },
      wsdlRead: () => {},
      described: () => {},
    },
    onDefect: (error) => {
      seen.defects.push(error);
      return "reference";
    },
  });
  const clients = new ClientAddresses([]);
  const server = new HttpServer(
    (request, response) => endpoint.handle(new Call(request, response, clients)),
    bodies,
  );
  const port = await server.listen("127.0.0.1", 0);
  const taken: Socket[] = [];
  server.fastify.server.on("connection", (socket) => taken.push(socket));
  t.after(() => server.close(0));
  const send = async (body: Buffer, headers = ""): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    await once(socket, "connect");
    socket.write(
      `POST ${toyService.path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\n${headers}Content-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body);
    return socket;
  };
  return { admission: bodies.admission, seen, send, taken };
}

/** How many turns of the event loop it took. */
async function turnsUntil(isSo: () => boolean): Promise<number> {
  let turns = 0;
  for (; !isSo(); turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return turns;
}
const nothing = { carriedOut: 0, served: 0, defects: [] };

test("stops reading a large message whose client has disconnected, and does not execute its call", async (t) => {
  const { admission, seen, send } = await serving(t);
  const caller = await send(MESSAGE);
  await turnsUntil(() => admission.inFlight === 1);
  caller.resetAndDestroy();
  const turns = await turnsUntil(() => admission.inFlight === 0);
  assert.ok(turns < CHUNKS / 2, `${turns} turns for ${CHUNKS} chunks, each of which takes two to be read`);
  assert.equal(admission.bodyBytes, 0);
  assert.deepEqual(seen, nothing);
});

test("stops inflating a body whose client has disconnected", async () => {
  let asked = 0;
  const client = {
    get isGone() {
      asked += 1;
      return asked > 3;
    },
  };
  const inflating = decompress([gzipSync(MESSAGE)], "gzip", LIMIT, client);
  await assert.rejects(inflating, (error) => error instanceof BodyAborted);
  assert.equal(asked, 4);
});

test("does not execute the call of a compressed message whose client has disconnected", async (t) => {
  const { admission, seen, send } = await serving(t);
  const caller = await send(gzipSync(MESSAGE), "Content-Encoding: gzip\r\n");
  await turnsUntil(() => admission.inFlight === 1);
  caller.resetAndDestroy();
  await turnsUntil(() => admission.inFlight === 0);
  assert.equal(admission.bodyBytes, 0);
  assert.deepEqual(seen, nothing);
});

test("reads the large message of a connected client without delay by those of disconnected ones", async (t) => {
  const { admission, seen, send } = await serving(t);
  const first = await send(MESSAGE);
  await turnsUntil(() => admission.inFlight === 1);
  const second = await send(MESSAGE);
  await turnsUntil(() => admission.inFlight === 2);
  const third = await send(large("<a/>".repeat(CHUNK_BYTES)));
  let answer = "";
  third.on("data", (chunk) => {
    answer += chunk;
  });
  await turnsUntil(() => admission.inFlight === 3);
  first.resetAndDestroy();
  second.resetAndDestroy();
  const turns = await turnsUntil(() => answer.includes("</soap:Envelope>"));
  assert.match(answer, /<Toy.PutResult>0</);
  assert.ok(turns < CHUNKS, `${turns} turns`);
  third.destroy();
  await turnsUntil(() => admission.inFlight === 0);
  assert.equal(admission.bodyBytes, 0);
  assert.deepEqual(seen, { carriedOut: 1, served: 1, defects: [] });
});

test("does not execute pipelined calls whose client has disconnected", async (t) => {
  const first = Promise.withResolvers<void>();
  const { admission, seen, send, taken } = await serving(t, first.promise);
  const body = large("");
  const head = `POST ${toyService.path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n`;
  const caller = await send(body);
  caller.write(`${head}${body.toString()}`.repeat(20));
  await turnsUntil(() => admission.inFlight === 21);
  caller.resetAndDestroy();
  await turnsUntil(() => taken[0]?.closed === true);
  first.resolve();
  await turnsUntil(() => admission.inFlight === 0);
  assert.equal(seen.carriedOut, 1);
  assert.deepEqual(seen.defects, []);
});

test("answers the calls of a client that closes its side after them, small, large, compressed or pipelined", async (t) => {
  const { admission, seen, send } = await serving(t);
  const cases: readonly (readonly [body: Buffer, headers: string, further: number])[] = [
    [large(""), "", 0],
    [large("<a/>".repeat(CHUNK_BYTES)), "", 0],
    [gzipSync(MESSAGE), "Content-Encoding: gzip\r\n", 0],
    [large(""), "", 20],
  ];
  for (const [body, headers, further] of cases) {
    const caller = await send(body, headers);
    const head = `POST ${toyService.path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n`;
    let answer = "";
    caller.on("data", (chunk) => {
      answer += chunk;
    });
    caller.end(further === 0 ? "" : `${head}${body.toString()}`.repeat(further));
    await once(caller, "close");
    assert.equal(answer.split("<Toy.PutResult>0<").length - 1, further + 1);
  }
  assert.equal(admission.inFlight, 0);
  assert.deepEqual(seen.defects, []);
});
