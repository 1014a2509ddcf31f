/** Live progress: comments that keep the connection open, its end, and the limit. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { after, before, test } from "node:test";
import { eventPage } from "#console/kit/page.ts";
import { MAX_STREAMS, MAX_STREAMS_OF_USER } from "#console/kit/serve/streams.ts";
import type { Browser } from "./browser.ts";
import { type ConsoleServer, startConsole } from "./console-server.ts";

const ended = Promise.withResolvers<void>();
const never = eventPage({
  path: "/{account}/never",
  events: async function* (visit, signal) {
    yield { data: `account ${visit.account.id}\nsecond line` };
    await once(signal, "abort");
    ended.resolve();
  },
});
const short = eventPage({
  path: "/{account}/short",
  events: async function* () {
    yield { event: "end", data: "done" };
  },
});

let server: ConsoleServer;
before(async () => {
  server = await startConsole({ pages: [never, short], heartbeatMs: 20 });
  await server.store.accounts.create({ name: "Default", at: 1 });
});
after(() => server.close());

async function open(
  browser: Browser,
  path: string,
  { origin } = server,
): Promise<[ClientRequest, IncomingMessage]> {
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  const sent = request(`${origin}${path}`, { headers: { Cookie: cookie }, agent: false });
  sent.on("error", () => {});
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.on("error", () => {});
  return [sent, response.setEncoding("utf8")];
}

test("a stream sends its events, then ends", async () => {
  const browser = await server.signedIn("viewer");
  const { body, headers } = await browser.get("/console/1/short");
  assert.equal(headers.get("content-type"), "text/event-stream");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(body, ":\n\nevent: end\ndata: done\n\n");
});

test("a stream has comments while nothing happens, and ends with its session", async () => {
  const browser = await server.signedIn("viewer");
  const [, response] = await open(browser, "/console/1/never");
  let text = "";
  let comments = 0;
  for await (const chunk of response) {
    text += chunk;
    comments = text.split("\n").filter((line) => line === ":").length;
    if (comments === 3) {
      const [session] = await server.store.sessions.ofUser({ user: browser.user.id, at: server.now });
      await server.store.sessions.end({ user: browser.user.id, id: session?.id ?? 0 });
    }
  }
  assert.match(text, /data: account 1\ndata: second line\n\n/);
  assert.ok(comments >= 3);
  await ended.promise;
  assert.deepEqual(server.defects, []);
});

test("a stream ends when its user loses the role in the account", async () => {
  const browser = await server.signedIn("viewer");
  const [, response] = await open(browser, "/console/1/never");
  const settings = { role: { account: 1, role: null } };
  await server.store.users.set({ id: browser.user.id, within: null, keepsAdministrator: true, settings });
  const isEnded = await Promise.race([
    once(response.resume(), "end").then(() => true),
    once(AbortSignal.timeout(10_000), "abort").then(() => false),
  ]);
  assert.ok(isEnded);
  assert.deepEqual(server.defects, []);
});

test("a stream needs a session and a role in the account", async () => {
  const browser = await server.signedIn("viewer");
  assert.equal((await server.browser().get("/console/1/never")).status, 303);
  assert.equal((await browser.get("/console/2/never")).status, 404);
});

const openMany = (browser: Browser) =>
  Promise.all(Array.from({ length: MAX_STREAMS_OF_USER }, () => open(browser, "/console/1/never")));

test("a user with many streams gets no further one, and others do", async () => {
  const [browser, other] = [await server.signedIn("viewer"), await server.signedIn("viewer")];
  const opened = await openMany(browser);
  assert.ok(opened.every(([, response]) => response.statusCode === 200));
  const refused = await browser.get("/console/1/never");
  assert.equal(refused.status, 503);
  assert.match(refused.body, /You have 4 pages open that show live progress\. Reload this page/);
  const [sent, response] = await open(other, "/console/1/never");
  assert.equal(response.statusCode, 200);
  for (const [one] of [...opened, [sent] as const]) one.destroy();
});

test("a stream ends when its page is left, before the next comment", async (t) => {
  const left = Promise.withResolvers<void>();
  const page = eventPage({
    path: "/{account}/left",
    events: async function* (_visit, signal) {
      yield { data: "begun" };
      await once(signal, "abort");
      left.resolve();
    },
  });
  const quiet = await startConsole({ pages: [page], heartbeatMs: 2 ** 31 - 1 });
  t.after(() => quiet.close());
  await quiet.store.accounts.create({ name: "Default", at: 1 });
  const [sent] = await open(await quiet.signedIn("viewer"), "/console/1/left", quiet);
  sent.socket?.end();
  await left.promise;
});

test("streams over the limit get 503, until another one ends", async () => {
  const browser = await server.signedIn("viewer");
  const opened = [];
  for (let n = 0; n < MAX_STREAMS / MAX_STREAMS_OF_USER; n += 1)
    opened.push(...(await openMany(await server.signedIn("viewer"))));
  assert.ok(opened.every(([, response]) => response.statusCode === 200));
  const refused = await browser.get("/console/1/never");
  assert.equal(refused.status, 503);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  for (const [sent] of opened) sent.destroy();
  let status = 503;
  while (status === 503) {
    const [sent, response] = await open(browser, "/console/1/never");
    status = response.statusCode ?? 0;
    sent.destroy();
  }
  assert.equal(status, 200);
});
