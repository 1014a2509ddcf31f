/** The API is loaded with its first request. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { lazyRoutes } from "#app/lazy-routes.ts";
import { isApiPath } from "#web/api-path.ts";
import { startService } from "../../service.ts";

/** How much of the processor's time a request takes in each turn of the event loop. */
async function turnsOf(ask: () => Promise<unknown>): Promise<readonly number[]> {
  const turns: number[] = [];
  let before = process.threadCpuUsage();
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    turns.push(user + system);
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  await ask();
  clearImmediate(next);
  return turns;
}

// The first one of this file: the modules are not loaded yet.
test("others are answered while the API and the console are loaded", async () => {
  const service = await startService();
  try {
    await get(service.origin, "/healthz");
    for (const path of ["/api/v2/me", "/console/sign-in"]) {
      // Turns without work are many, and take some time together.
      const turns = (await turnsOf(() => get(service.origin, path))).filter((micros) => micros > 1000);
      const whole = turns.reduce((sum, micros) => sum + micros, 0);
      assert.ok(Math.max(...turns) < whole / 2, `${path}: of ${whole} µs, ${Math.max(...turns)} in one turn`);
    }
  } finally {
    await service.close();
  }
});

test("requests that arrive while the API is loaded are all answered, also behind a prefix", async () => {
  const service = await startService({ "base-url": "https://mail.example.org/mail" });
  try {
    const paths = ["/api/v2/me", "/mail/api/v2/me", "/api/v2/nothing", "/api/v2"];
    const replies = await Promise.all(
      paths.map((path) => fetch(`${service.origin}${path}`, { redirect: "manual" })),
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [401, 401, 404, 302],
    );
    assert.equal((await fetch(`${service.origin}/api/v20`)).status, 404);
  } finally {
    await service.close();
  }
});

/** `target` is sent as it is. */
const get = (origin: string, target: string) =>
  new Promise<{ readonly status: number; readonly type: string; readonly text: string }>(
    (resolve, reject) => {
      const sent = request(origin, { path: target, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.on("error", reject);
      sent.end();
    },
  );

test("a path that cannot be decoded gets a problem document", async () => {
  const service = await startService();
  try {
    for (const path of ["%ff", "accounts/%", "accounts/%zz/lists"]) {
      const { status, type, text } = await get(service.origin, `/api/v2/${path}`);
      assert.deepEqual([status, type], [400, "application/problem+json; charset=utf-8"], path);
      const { detail } = JSON.parse(text) as { readonly detail: string };
      assert.match(detail, /^The path of the URL cannot be read: /);
    }
  } finally {
    await service.close();
  }
});

test("a request whose target is a whole URL is one of the API, too", async () => {
  const service = await startService();
  try {
    for (const target of [
      `${service.origin}/api/v2/me`,
      "HTTP://mail.example.org/api/v2/me?x=1",
      "https://mail.example.org/api/v2/me",
    ])
      assert.deepEqual([(await get(service.origin, target)).status, target], [401, target]);
    assert.equal((await get(service.origin, "http://mail.example.org/api/v20")).status, 404);
  } finally {
    await service.close();
  }
});

test("a load that failed is repeated with the next request", async () => {
  const failures: unknown[] = [];
  let attempts = 0;
  const answered: string[] = [];
  const handle = lazyRoutes({
    name: "the JSON API",
    isOwn: isApiPath(""),
    load: async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("no such file");
      return (_request, response) => void response.end();
    },
    onLoadFailed: (error) => failures.push(error),
  });
  const send = async (url: string): Promise<boolean> => {
    const response = { writeHead: () => {}, end: (body = "done") => answered.push(String(body)) };
    const isTaken = handle({ url } as never, response as never);
    await new Promise((resolve) => setImmediate(resolve));
    return isTaken;
  };
  assert.equal(await send("/default.asmx"), false);
  assert.equal(await send("/api/v2/me?x=1"), true);
  assert.equal(await send("/api/v2/me"), true);
  assert.equal(failures.length, 1);
  assert.match(answered[0] ?? "", /could not be loaded/);
  assert.equal(answered[1], "done");
});
