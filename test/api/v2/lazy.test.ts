/** The API is loaded with its first request. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isApiPath } from "../../../src/api/v2/api-path.ts";
import { lazyRoutes } from "../../../src/app/lazy-routes.ts";
import { startService } from "../../service.ts";

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
