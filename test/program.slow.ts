/** The program as a process: how it ends, and what it logs and never logs. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Served, startProgram } from "./cli/program.ts";
import { call, withKey } from "./service.ts";

const folder = mkdtempSync(join(tmpdir(), "mailroll-program-"));
after(() => rmSync(folder, { recursive: true }));

const start = (env?: Readonly<Record<string, string>>): Promise<Served> => startProgram(folder, env);

test("finishes calls in flight on a signal, and exits at once on a second one", async () => {
  const server = await start({ MAILROLL_DATABASE: "sqlite:./signals/m.db" });
  const socket = connect(Number(new URL(server.origin).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write("POST /default.asmx HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf");
  socket.on("error", () => {});
  // The server has seen the half request once it has answered a whole one that came later.
  await call(server, "Client.TestApiConnection", withKey());
  const exited = server.stop("SIGTERM");
  const isWaiting = await Promise.race([exited.then(() => false), delay(700).then(() => true)]);
  assert.equal(isWaiting, true, "the first signal waits for the half request");
  void server.stop("SIGTERM");
  assert.equal(await exited, 143);
  socket.destroy();
});

test("reports a locked database at the start, and exits", async () => {
  await (await start({ MAILROLL_DATABASE: "sqlite:./kept/m.db" })).stop();
  const rival = new DatabaseSync(join(folder, "kept/m.db"));
  rival.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  await assert.rejects(start({ MAILROLL_DATABASE: "sqlite:./kept/m.db" }), /ended with 1: .*the database/s);
  rival.exec("ROLLBACK");
  rival.close();
});

describe("the log", () => {
  test("logs one JSON line per call with operation, account, outcome and time, never a key or an address", async () => {
    const key = "PLANTEDKEYPLANTEDKEYPLANTEDKEY12";
    const address = "planted.address@example.org";
    const server = await start({ MAILROLL_DATABASE: "sqlite:./log/m.db", MAILROLL_API_KEY: key });
    const list = "<SubscribersListID>1</SubscribersListID>";
    await call(server, "Subscriber.Add", withKey(`${list}<EMail>${address}</EMail>`, key));
    await call(server, "Subscriber.Add", withKey(`${list}<EMail>${address} nonsense</EMail>`, key));
    await call(server, "Subscriber.Add", withKey(`<SubscribersListID>${address}</SubscribersListID>`, key));
    await call(server, "Subscriber.Add", `<APIKey>${key}x</APIKey>`);
    await call(server, "Subscriber.Add", withKey("", key), { SOAPAction: `"${address}/${key}"` });
    await call(server, "Client.GetSubscribersLists", withKey("", key), {
      "X-Key": key,
      Referer: `http://${address}`,
    });
    await fetch(`${server.origin}/default.asmx?op=${key}`);
    await fetch(`${server.origin}/${address}?${key}`);
    await fetch(`${server.origin}/api/v1/fields`, { headers: { Authorization: `Bearer ${key}` } });
    await fetch(`${server.origin}/api/v2/accounts/1/blocks:remove`, { method: "POST" });
    assert.equal(await server.stop(), 0);
    const log = server.output.err;
    for (const secret of [key, address, "planted.address", "PLANTEDKEY"])
      assert.ok(!log.includes(secret), log);
    const lines = log
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const calls = lines.filter(({ msg }) => msg === "call");
    assert.deepEqual(
      calls.map(({ operation, account, outcome, status }) => [operation, account, outcome, status]),
      [
        ["Subscriber.Add", 1, "Done", 200],
        ["Subscriber.Add", 1, "InvalidEmail", 200],
        ["Subscriber.Add", null, "InvalidParameter", 500],
        ["Subscriber.Add", null, "InvalidApiKey", 500],
        ["Subscriber.Add", null, "ActionMismatch", 500],
        ["Client.GetSubscribersLists", 1, "ok", 200],
      ],
    );
    for (const { ms } of calls) assert.equal(typeof ms, "number");
    const others = lines.filter(({ msg }) => msg === "document" || msg === "request");
    assert.deepEqual(
      others.map(({ msg, route, status }) => [msg, route, status]),
      [
        ["document", undefined, 404],
        ["request", null, 404],
        ["request", "/api/v1/fields", 200],
        ["request", "/api/v2/accounts/:account/blocks:remove", 401],
      ],
    );
  });
  test("logs the trace id of a call, and nothing else of its trace headers", async () => {
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const server = await start({ MAILROLL_DATABASE: "sqlite:./trace/m.db" });
    const traced = (traceparent: string) =>
      call(server, "Client.TestApiConnection", withKey(), { traceparent, tracestate: "planted=state" });
    await traced(`00-${trace}-00f067aa0ba902b7-01`);
    await traced("planted");
    await call(server, "Client.TestApiConnection", withKey());
    assert.equal(await server.stop(), 0);
    const lines = server.output.err.trim().split("\n");
    const calls = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "call");
    assert.deepEqual(
      calls.map((line) => line.trace),
      [trace, undefined, undefined],
    );
    assert.doesNotMatch(server.output.err, /planted|00f067aa0ba902b7/);
  });
  test("logs nothing at the level silent", async () => {
    const server = await start({ MAILROLL_DATABASE: "sqlite:./quiet/m.db", MAILROLL_LOG: "silent" });
    await call(server, "Client.TestApiConnection", withKey());
    assert.equal(await server.stop(), 0);
    assert.equal(server.output.err, "");
  });
  test("warns that one process serves SQLite", async () => {
    const server = await start({ MAILROLL_DATABASE: "sqlite:./one/m.db", MAILROLL_WORKERS: "4" });
    assert.equal(await server.stop(), 0);
    assert.match(server.output.err, /more than one worker needs PostgreSQL/);
  });
  test("warns of an unknown MAILROLL_ variable", async () => {
    const server = await start({ MAILROLL_DATABASE: "sqlite:./slip/m.db", MAILROLL_BASEURL: "http://x" });
    assert.equal(await server.stop(), 0);
    assert.match(
      server.output.err,
      /MAILROLL_BASEURL is set, but there is no such setting; did you mean MAILROLL_BASE_URL\?/,
    );
  });
});
