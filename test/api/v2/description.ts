/** The OpenAPI document of a server, and whether its replies are as described there. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Route } from "../../../src/api/v2/kit/route.ts";
import type { ApiServer } from "./api-server.ts";

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

export interface Description {
  /** Throws if the document does not describe the reply; returns the body. */
  bodyOf(route: Route, response: Response): Promise<unknown>;
}

/** A media type without its parameters. */
const typeOf = (text: string): string => text.split(";", 1)[0] ?? "";

export async function readDescription(api: ApiServer): Promise<Description> {
  const document = (await (await api.send("GET", "/openapi.json")).json()) as OpenApi;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: "api" });
  return {
    bodyOf: async ({ path, method }, response) => {
      const { status } = response;
      const text = await response.text();
      assert.notEqual(status, 500, text);
      const responses = document.paths[path]?.[method.toLowerCase()]?.responses;
      const key = responses?.[status] === undefined ? "default" : String(status);
      const { content = {} } = responses?.[key] ?? assert.fail(`${status} is not described`);
      const type = typeOf(response.headers.get("content-type") ?? "");
      if (text === "") {
        assert.deepEqual(Object.keys(content), [], `${status} has no body`);
        return undefined;
      }
      const declared = Object.keys(content).find((one) => typeOf(one) === type);
      assert.ok(declared !== undefined, `${status} ${type} is not described: ${text.slice(0, 300)}`);
      if (!type.endsWith("json")) return text;
      const body: unknown = JSON.parse(text);
      const pointer = ["paths", path, method.toLowerCase(), "responses", key, "content", declared, "schema"];
      const ref = `api#/${pointer.map((one) => encodeURIComponent(one.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;
      const isValid = ajv.validate(ref, body);
      assert.ok(isValid, `${JSON.stringify(ajv.errors)} in ${text.slice(0, 500)}`);
      return body;
    },
  };
}
