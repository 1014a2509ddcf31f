/**
 * Every route against the OpenAPI document: requests are made from its schemas, and replies are validated by
 * it. The validator here is not the one of the service.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Route } from "../../../src/api/v2/kit/route.ts";
import type { JsonSchema } from "../../../src/api/v2/reference/example.ts";
import { routes } from "../../../src/api/v2/routes.ts";
import type { Store } from "../../../src/domain/ports/store.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { exampleFor, idOf, newWorld, pathIn, requests } from "./contract-world.ts";
import { randomOf, validValue, wrongValues } from "./schema-values.ts";

interface Content {
  readonly schema: JsonSchema;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Content>> }>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

const RANDOM_REQUESTS = 10;

export function contractSuite(name: string, open?: (file: string) => Promise<Store>): void {
  describe(`the routes of the API on ${name}`, () => {
    let api: ApiServer;
    let document: OpenApi;
    let ajv: Ajv2020;
    before(async () => {
      api = await startApi(undefined, open);
      document = (await (await api.send("GET", "/openapi.json")).json()) as OpenApi;
      ajv = new Ajv2020({ strict: false });
      addFormats.default(ajv);
      ajv.addSchema({ $id: "api", components: document.components });
    });
    after(() => api.close());

    /** Throws if the document does not describe the reply; returns the body. */
    async function checkedBody(route: Route, response: Response): Promise<unknown> {
      const responses = document.paths[route.path]?.[route.method.toLowerCase()]?.responses;
      const described = responses?.[response.status] ?? responses?.default;
      assert.ok(described, `${response.status} is not described`);
      const text = await response.text();
      assert.notEqual(response.status, 500, text);
      const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
      if (text === "") return undefined;
      const content = described.content?.[type];
      assert.ok(content, `${response.status} ${type} is not described: ${text.slice(0, 300)}`);
      if (!type.endsWith("json")) return text;
      const body: unknown = JSON.parse(text);
      const schema = JSON.parse(
        JSON.stringify(content.schema).replaceAll("#/components/", "api#/components/"),
      ) as object;
      const isValid = ajv.validate(schema, body);
      assert.ok(isValid, `${JSON.stringify(ajv.errors)} in ${text.slice(0, 500)}`);
      return body;
    }

    for (const route of routes) {
      const operation = idOf(route);
      test(`${operation} succeeds as it is described`, async () => {
        const world = await newWorld(api.store);
        const { query, body, path } = await exampleFor(world, route, api);
        const response = await api.send(route.method, `${path}${query}`, { token: "administrator", body });
        const shown = await checkedBody(route, response.clone());
        assert.ok(response.ok, `${response.status}: ${JSON.stringify(shown)}`);
      });

      test(`${operation} refuses every wrong body and parameter with the place of the error`, async () => {
        const world = await newWorld(api.store);
        const { query, body, path } = await exampleFor(world, route, api);
        const send = (to: string, value: unknown) =>
          api.send(route.method, to, {
            token: "administrator",
            body: value === undefined ? undefined : JSON.stringify(value),
          });
        const isJson = route.body !== undefined && typeof body === "object" && !(body instanceof Uint8Array);
        const wrongs = isJson ? wrongValues(route.body as JsonSchema, body as Record<string, unknown>) : [];
        for (const { what, pointer, value } of wrongs) {
          const response = await send(`${path}${query}`, value);
          const problem = (await checkedBody(route, response)) as {
            readonly errors?: readonly { readonly pointer?: string }[];
          };
          assert.equal(response.status, 400, `${what}: ${JSON.stringify(problem)}`);
          assert.equal(problem.errors?.[0]?.pointer, pointer, what);
        }
        const unknown = await send(`${path}?unknownParameter=1`, body);
        await checkedBody(route, unknown);
        if (route.query !== undefined) assert.equal(unknown.status, 400);
      });

      test(`${operation} never fails for a request that its schemas allow`, async () => {
        const world = await newWorld(api.store);
        const random = randomOf(routes.indexOf(route) + 1);
        for (let n = 0; n < RANDOM_REQUESTS; n += 1) {
          const path = pathIn(world, route);
          const body =
            route.body === undefined || requests[operation]?.isBytes === true
              ? undefined
              : validValue(route.body as JsonSchema, random);
          const query =
            route.query === undefined
              ? ""
              : `?${new URLSearchParams(
                  Object.entries(validValue(route.query as JsonSchema, random) as object).map(
                    ([key, value]): [string, string] => [key, String(value)],
                  ),
                ).toString()}`;
          const response = await api.send(route.method, `${path}${query}`, {
            token: "administrator",
            body: body === undefined ? undefined : JSON.stringify(body),
          });
          await checkedBody(route, response);
        }
        assert.deepEqual(api.defects, []);
      });
    }
  });
}
