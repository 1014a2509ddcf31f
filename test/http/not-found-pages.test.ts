/** Addresses that lead nowhere: a page for browsers, plain text for programs. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { meantConsolePath } from "#console/console-path.ts";
import { type Received, sendRequest } from "../send-request.ts";
import { type Service, startService } from "../service.ts";

let service: Service;
let behindPath: Service;
before(async () => {
  service = await startService();
  behindPath = await startService({ "base-url": "https://mail.example.org/m" });
});
after(async () => {
  await service.close();
  await behindPath.close();
});
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const ask = (path: string, accept: string | null, method = "GET", of = service): Promise<Received> =>
  sendRequest(`${of.origin}${path}`, {
    method,
    headers: {
      Host: `localhost:${of.port}`,
      "Content-Length": "0",
      ...(accept === null ? {} : { Accept: accept }),
    },
  });

test("a browser gets a page that says where service, help, console and API are", async () => {
  for (const path of ["/nothing", "/default.asmx/x", "/api", "/api/v1/nothing", "/consoles", "/x?q=<b>"]) {
    const { status, headers, body } = await ask(path, BROWSER);
    assert.equal(status, 404, path);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'.*frame-ancestors 'none'/);
    assert.match(body, /<h1>There is nothing at this address<\/h1>/);
    for (const place of ["/default.asmx", "/default.asmx?wsdl", "/console", "/api/v2/reference"])
      assert.ok(body.includes(`href="${place}"`), place);
    assert.doesNotMatch(body, /<b>/);
  }
});

test("the page's links and font have the path of the base address", async () => {
  const { body } = await ask("/nothing", BROWSER, "GET", behindPath);
  for (const place of ["/m/default.asmx", "/m/console", "/m/api/v2/reference"])
    assert.ok(body.includes(`href="${place}"`), place);
  assert.match(body, /url\(["']?\/m\/console\/assets\//);
});

test("programs get plain text, as they always did", async () => {
  for (const accept of [null, "*/*", "application/json", "text/xml, */*"]) {
    const { status, headers, body } = await ask("/nothing", accept);
    assert.deepEqual(
      [status, headers.get("content-type"), body],
      [404, "text/plain", "Not found\n"],
      accept ?? "",
    );
  }
  const posted = await ask("/nothing", BROWSER, "POST");
  assert.deepEqual([posted.status, posted.body], [404, "Not found\n"]);
  const bad = await ask("/%zz", "*/*");
  assert.deepEqual(
    [bad.status, bad.headers.get("content-type"), bad.body],
    [400, "text/plain", "Bad Request\n"],
  );
});

test("a path that cannot be decoded gets a page in a browser, in the console as elsewhere", async () => {
  for (const path of ["/%zz", "/console/%zz", "/console/1/%ff/x", "/a%"]) {
    const { status, headers, body } = await ask(path, BROWSER);
    assert.equal(status, 400, path);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(body, /<h1>This address cannot be read<\/h1>/);
    assert.match(body, /href="\/console"/);
  }
  const { headers } = await ask("/api/v2/%zz", BROWSER);
  assert.match(headers.get("content-type") ?? "", /^application\/problem\+json/);
});

test("a mistyped address of the console leads to the right one, and never to another host", async () => {
  const meant: readonly (readonly [string, string])[] = [
    ["/CONSOLE/1", "/console/1"],
    ["/console//1", "/console/1"],
    ["/Console/1/Lists/?after=X%20y", "/console/1/lists?after=X%20y"],
    ["/console/", "/console"],
    ["//console///1//", "/console/1"],
  ];
  for (const [path, right] of meant) {
    const { status, headers } = await ask(path, BROWSER);
    assert.deepEqual([status, headers.get("location")], [302, right], path);
  }
  for (const path of ["//evil.example/console", "/consolex//1", "/x//console", "/console//assets/x"])
    assert.notEqual((await ask(path, BROWSER)).status, 302, path);
  assert.equal((await ask("/CONSOLE/1", BROWSER, "POST")).status, 404);
  assert.equal(meantConsolePath("/M", "/m/Console/1"), "/M/console/1");
  assert.equal(meantConsolePath("/m", "/CONSOLE/1"), "/m/console/1");
  assert.equal(meantConsolePath("/m", "/m/console/1"), null);
  assert.equal(meantConsolePath("/m", "/console/1"), null);
});
