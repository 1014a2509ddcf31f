/** Schemas with a title in the OpenAPI document. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Components, hoistSchemas } from "#api/v2/kit/openapi.ts";
import { type ApiServer, startApi } from "./api-server.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
});
after(() => api.close());

const text = { type: "string" };
const tag = { type: "object", title: "Tag", properties: { name: text } };

test("a schema with a title becomes a component, also within another one", () => {
  const page = { type: "object", title: "TagPage", properties: { items: { type: "array", items: tag } } };
  const components: Components = {};
  assert.deepEqual(hoistSchemas({ schema: page, title: "no schema" }, components), {
    schema: { $ref: "#/components/schemas/TagPage" },
    title: "no schema",
  });
  const items = { type: "array", items: { $ref: "#/components/schemas/Tag" } };
  assert.deepEqual(components, { Tag: tag, TagPage: { ...page, properties: { items } } });
});

test("another description stays where it is, and another schema must have another title", () => {
  const components: Components = {};
  hoistSchemas(tag, components);
  assert.deepEqual(hoistSchemas({ ...tag, description: "The first one." }, components), {
    $ref: "#/components/schemas/Tag",
    description: "The first one.",
  });
  assert.throws(() => hoistSchemas({ ...tag, properties: {} }, components), /the title Tag/);
});

test("the OpenAPI document has a licence, a contact, described tags and named bodies, and may be cached", async () => {
  const first = await api.send("GET", "/openapi.json", { token: null });
  const { info, tags, paths, components } = (await first.json()) as {
    readonly components: { readonly schemas: Readonly<Record<string, { readonly properties?: object }>> };
    readonly info: object;
    readonly tags: readonly { readonly name: string; readonly description: string }[];
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { readonly tags: readonly string[]; requestBody?: object }>>>
    >;
  };
  assert.partialDeepStrictEqual(info, { license: { name: "MIT License", identifier: "MIT" } });
  assert.ok("contact" in info);
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  assert.deepEqual(
    new Set(tags.filter(({ description }) => description !== "").map(({ name }) => name)),
    new Set(operations.flatMap((one) => one.tags)),
  );
  for (const { requestBody } of operations)
    if (requestBody !== undefined)
      assert.match(JSON.stringify(requestBody), /"schema":\{"\$ref":|"format":"binary"/);
  for (const [name, { properties = {} }] of Object.entries(components.schemas))
    for (const member of name.endsWith("Body") ? Object.values(properties) : [])
      assert.ok(!("default" in member), `${name}: generators take it for a member that must be sent`);
  assert.match(first.headers.get("cache-control") ?? "", /^public, max-age=\d+$/);
  const headers = { "If-None-Match": first.headers.get("etag") ?? "" };
  assert.equal((await api.send("GET", "/openapi.json", { token: null, headers })).status, 304);
});

test("what the API is about has names in the OpenAPI document", async () => {
  const document = await (await api.send("GET", "/openapi.json")).text();
  const { components, paths } = JSON.parse(document) as {
    readonly components: { readonly schemas: object };
    readonly paths: Readonly<
      Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>>
    >;
  };
  const names = Object.keys(components.schemas);
  for (const name of [
    ...["Account", "AuditEntry", "Block", "Campaign", "Field", "Import", "Job", "Key", "List"],
    ...["ListPage", "Problem", "RefusedCall", "Subscriber", "SubscriberFilter", "Token", "Upload", "User"],
  ])
    assert.ok(names.includes(name), name);
  for (const [, name = ""] of document.matchAll(/"#\/components\/schemas\/(\w+)"/g))
    assert.ok(names.includes(name), `${name} is not a component`);
  const shown = paths["/accounts/{account}/lists/{list}"]?.get?.responses["200"];
  assert.match(JSON.stringify(shown), /"schema":\{"\$ref":"#\/components\/schemas\/List"\}/);
});
