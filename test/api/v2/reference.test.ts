import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { operationId } from "#api/v2/kit/openapi.ts";
import { problemTypes } from "#api/v2/kit/problems.ts";
import { routes } from "#api/v2/routes.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
let page: string;
before(async () => {
  api = await startApi();
  page = await (await api.send("GET", "/reference", { token: null })).text();
});
after(() => api.close());

test("the root of the API leads to the reference, which needs no token", async () => {
  const response = await api.send("GET", "/", { token: null });
  assert.equal(response.status, 302);
  const place = new URL(response.headers.get("location") ?? "", api.address);
  assert.equal(place.pathname, "/api/v2/reference");
  const { headers } = await api.send("GET", "/reference", { token: null });
  assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
});

test("every route has its heading, its path, its role and a curl command", () => {
  for (const route of routes) {
    const id = operationId(route);
    const article = page.split("<article>").find((one) => one.includes(`id="${id}"`)) ?? "";
    assert.ok(article.includes(`${route.method} ${route.path}`), `${id}: path`);
    // Without an account, a role in one does not count.
    const role = route.path.includes("{account}") ? route.action.role : "administrator";
    assert.match(article, new RegExp(`for (every|.*${role}s?\\b)`), `${id}: role`);
    assert.match(article, /<code>curl /, `${id}: curl`);
  }
});

test("a route that only reads is not marked as one that writes, whatever its method is", () => {
  for (const route of routes) {
    const article = page.split("<article>").find((one) => one.includes(`id="${operationId(route)}"`)) ?? "";
    const isWrite = article.includes('class="access write"');
    assert.equal(isWrite, route.action.records !== "nothing", operationId(route));
  }
  assert.match(page, /<a href="\.\.\/\.\.\/console\/me">Your account<\/a>/);
});

test("every type of problem has a place that its link leads to", () => {
  for (const name of Object.keys(problemTypes)) assert.ok(page.includes(`id="problem-${name}"`), name);
});

test("the style and the script are allowed by their hashes, and nothing else is", async () => {
  const response = await api.send("GET", "/reference");
  const policy = response.headers.get("content-security-policy") ?? "";
  const html = await response.text();
  for (const name of ["style", "script"]) {
    const text = new RegExp(`<${name}[^>]*>([\\s\\S]*?)</${name}>`).exec(html)?.[1] ?? "";
    assert.ok(policy.includes(`sha256-${createHash("sha256").update(text).digest("base64")}`), name);
  }
  assert.match(policy, /default-src 'none'/);
});

test("the OpenAPI document has every route once, with the problems that it may reply with", async () => {
  const document = (await (await api.send("GET", "/openapi.json", { token: null })).json()) as {
    readonly openapi: string;
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { readonly operationId: string; readonly responses: object }>>>
    >;
  };
  assert.equal(document.openapi, "3.1.0");
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(described.sort(), routes.map(({ method, path }) => `${method} ${path}`).sort());
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const ids = operations.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, routes.length);
  for (const id of ids) assert.match(id, /^[a-z]+(?:\.[a-z][A-Za-z]*)+$/);
  for (const { responses } of operations) assert.ok("401" in responses);
});
