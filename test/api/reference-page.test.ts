/**
 * docs/reference/api.md: its example is run as it stands there, and its tables agree with what is answered.
 */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { parseKey, storedForm } from "#domain/access/key.ts";
import { call, KEY, type Service, startService, withKey } from "../service.ts";
import { skipUnless } from "../skip-unless.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/reference/api.md"), "utf8");
const blockOf = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, "m").exec(page)?.[1] ?? "";
const ORIGIN = "http://localhost:8080";

let service: Service;
const here = (text: string): string => text.replaceAll(ORIGIN, service.origin);
const get = (key: string | null, method = "GET") =>
  fetch(`${service.origin}/api/v1/fields?ignored=1`, {
    method,
    headers: key === null ? {} : { Authorization: `Bearer ${key}` },
  });

before(async () => {
  service = await startService();
  for (const [name, type, isPrivate] of [
    ["Town", "STRING", false],
    ["Newsletter", "CONSENT", true],
  ] as const)
    await call(
      service,
      "Field.Add",
      withKey(
        `<fieldName>${name}</fieldName><isPrivate>${isPrivate}</isPrivate><dataType>${type}</dataType>`,
      ),
    );
});
after(() => service.close());

const hasCurl = spawnSync("curl", ["--version"]).status === 0;
test("the example of the page gets the answer that the page shows", {
  skip: skipUnless(hasCurl, "curl is missing (Debian: apt-get install curl)"),
}, async () => {
  const { stdout } = await promisify(execFile)("sh", ["-ec", here(blockOf("sh"))], {
    env: { PATH: process.env.PATH, MAILROLL_KEY: KEY },
  });
  assert.deepEqual(JSON.parse(stdout), JSON.parse(here(blockOf("json"))));
});

test("a missing or unknown key gets the answer that the page shows", async () => {
  const row = page.split("\n").find((line) => line.includes("`InvalidApiKey`")) ?? "";
  for (const key of [null, "unknown-key"]) {
    const response = await get(key);
    assert.ok(row.startsWith(`| ${response.status} |`), row);
    assert.equal(response.headers.get("www-authenticate"), "Bearer");
    const { error } = (await response.json()) as { error: Record<string, string> };
    assert.equal(error.code, "InvalidApiKey");
    assert.equal(typeof error.message, "string");
  }
});

test("a read-only key reads the fields, HEAD answers with the headers, and other methods are 404", async () => {
  const readOnly = parseKey("read-only-key-of-the-page");
  assert.ok(readOnly !== null);
  await service.store.keys.create({
    account: 1,
    ...storedForm(readOnly),
    label: "read",
    scope: "read",
    expiresAt: null,
    at: 1,
  });
  const read = await get("read-only-key-of-the-page");
  assert.equal(read.status, 200);
  assert.equal(read.headers.get("content-type"), "application/json; charset=utf-8");
  assert.equal(read.headers.get("cache-control"), "private, no-store");
  const head = await get(KEY, "HEAD");
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
  for (const method of ["PUT", "DELETE"]) assert.equal((await get(KEY, method)).status, 404);
});

test("requests that the interface does not know get the statuses and media types that the page lists", async () => {
  const rows: readonly (readonly [row: string, method: string, path: string, type: string])[] = [
    ["| 404 | `text/plain` |", "GET", "/api/v1/other", "application/json"],
    ["| 404 | `text/plain` |", "PUT", "/api/v1/fields", "application/json"],
    ["| 404 | `text/plain` |", "POST", "/api/v1/fields", "application/json"],
    ["| 400 | `text/plain` |", "GET", "/api/v1/%zz", "application/json"],
    ["| 500 | the SOAP fault `UnknownPath` |", "POST", "/api/v1/fields", "text/xml"],
  ];
  for (const [row, method, path, type] of rows) {
    const response = await fetch(service.origin + path, { method, headers: { "Content-Type": type } });
    const body = await response.text();
    const isPlain = response.headers.get("content-type") === "text/plain";
    const shown = isPlain ? "`text/plain`" : `the SOAP fault \`${/<code>(\w+)</.exec(body)?.[1]}\``;
    assert.equal(`| ${response.status} | ${shown} |`, row, `${method} ${path}`);
    assert.ok(page.includes(`\n${row}`), row);
  }
});
