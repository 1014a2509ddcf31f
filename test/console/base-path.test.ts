/** The console where the path of the service's base address looks like that of the console. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isConsolePath } from "#console/console-path.ts";
import { sendRequest } from "../send-request.ts";
import { startService } from "../service.ts";
import { startConsole } from "./console-server.ts";

for (const prefix of ["/mail", "/console", "/console-mail", "/a/console/b"]) {
  test(`below ${prefix}, one returns to the page that was asked for, and forms are sent to it`, async () => {
    const server = await startConsole({ base: `http://localhost${prefix}` });
    try {
      await server.store.accounts.create({ name: "Default", at: 1 });
      const page = `${prefix}/console/1/subscribers`;
      const { headers } = await server.browser().get(page);
      assert.equal(headers.get("location"), `${prefix}/console/sign-in?next=${encodeURIComponent(page)}`);
      const browser = await server.signedIn("viewer");
      const found = await browser.post(page, "search", { search: "ada" });
      const address = found.headers.get("location") ?? "";
      assert.ok(address.startsWith(`${page}?filter=`), address);
      assert.equal((await browser.get(address)).status, 200);
    } finally {
      await server.close();
    }
  });
}

test("a base address whose path is that of the console has all its other paths, too", async () => {
  const service = await startService({ "base-url": "http://localhost/console" });
  try {
    const below = `${service.origin}/console`;
    const soap = await sendRequest(`${below}/default.asmx?wsdl`);
    assert.equal(soap.status, 200);
    const page = await sendRequest(`${below}/console/sign-in`);
    assert.equal(page.status, 200);
    const style = /href="([^"]*\.css)"/.exec(page.body)?.[1];
    assert.equal((await sendRequest(`${service.origin}${style}`)).status, 200);
  } finally {
    await service.close();
  }
});

test("paths of the console are told from others", () => {
  const below = isConsolePath("/console");
  assert.deepEqual(
    ["/console", "/console/console", "/console/console/1", "/console/default.asmx"].map(below),
    [true, true, true, false],
  );
  const beside = isConsolePath("/mail");
  assert.deepEqual(
    ["/console/1", "/mail/console/1", "/mail/console/assets/x", "/mail/consoles", "/mail"].map(beside),
    [true, true, false, false, false],
  );
});

test("the base address leads a browser to the console, and anything else to the service", async () => {
  const html = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  for (const [prefix, asked] of [
    ["", ["/"]],
    ["/mail", ["/", "/mail", "/mail/"]],
  ] as const) {
    const service = await startService({ "base-url": `http://localhost${prefix}` });
    try {
      for (const path of asked) {
        const to = async (headers: Record<string, string>) => {
          const { status, headers: got } = await sendRequest(`${service.origin}${path}`, { headers });
          return [status, got.get("location"), got.get("vary")];
        };
        assert.deepEqual(await to(html), [302, `${prefix}/console`, "Accept"], path);
        for (const headers of [{}, { Accept: "*/*" }, { Accept: "application/json" }])
          assert.deepEqual(await to(headers), [302, `${prefix}/default.asmx`, "Accept"], path);
      }
    } finally {
      await service.close();
    }
  }
});
