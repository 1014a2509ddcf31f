/** The OpenAPI document of a server, and whether its replies are as described there. */
import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Route } from "#api/v2/kit/route.ts";
import type { ApiServer } from "./api-server.ts";

interface Reference {
  readonly $ref?: string;
}
interface Described extends Reference {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
  readonly headers?: Readonly<Record<string, object>>;
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, Described>>;
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

export interface Description {
  readonly document: OpenApi;
  /** The headers of a request that are described. */
  requestHeadersOf(route: Route): readonly string[];
  /** Throws if the document does not describe the reply; returns the body. */
  bodyOf(route: Route, response: Response): Promise<unknown>;
}

/** A media type without its parameters. */
const typeOf = (text: string): string => text.split(";", 1)[0] ?? "";

/** Of every reply. */
const plainHeaders: ReadonlySet<string> = new Set([
  "cache-control",
  "connection",
  "content-encoding",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "vary",
  "x-content-type-options",
]);

/** The names in a JSON Pointer of the document. */
const namesIn = (pointer: string): readonly string[] => pointer.replace(/^#\//, "").split("/");
const pointerTo = (names: readonly string[]): string =>
  `#/${names.map((one) => encodeURIComponent(one.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")}`;

export async function readDescription(api: ApiServer): Promise<Description> {
  const document = (await (await api.send("GET", "/openapi.json")).json()) as OpenApi;
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: "api" });
  const at = (names: readonly string[]): unknown =>
    names.reduce<unknown>(
      (within, name) => (within as Record<string, unknown> | undefined)?.[name],
      document,
    );
  const operationOf = ({ path, method }: Route): readonly string[] => ["paths", path, method.toLowerCase()];

  function requireMembers(body: object): void {
    const { properties } = at(["components", "schemas", "Problem"]) as { readonly properties: object };
    for (const name of Object.keys(body))
      assert.ok(Object.hasOwn(properties, name), `the problem's member ${name} is not described`);
  }

  return {
    document,
    requestHeadersOf: (route) =>
      ((at(operationOf(route)) as Operation).parameters ?? [])
        .filter((one) => one.in === "header")
        .map(({ name }) => name),
    bodyOf: async (route, response) => {
      const { status } = response;
      const text = await response.text();
      assert.notEqual(status, 500, text);
      const given = [...operationOf(route), "responses", String(status)];
      const { $ref } = (at(given) as Described | undefined) ?? assert.fail(`${status} is not described`);
      const names = $ref === undefined ? given : namesIn($ref);
      const { content = {}, headers = {} } = at(names) as Described;
      const known = new Set([...plainHeaders, ...Object.keys(headers).map((name) => name.toLowerCase())]);
      for (const name of response.headers.keys())
        assert.ok(known.has(name), `the header ${name} of ${status} is not described`);
      const type = typeOf(response.headers.get("content-type") ?? "");
      if (text === "") {
        assert.deepEqual(Object.keys(content), [], `${status} has no body`);
        return undefined;
      }
      const declared = Object.keys(content).find((one) => typeOf(one) === type);
      assert.ok(declared !== undefined, `${status} ${type} is not described: ${text.slice(0, 300)}`);
      if (!type.endsWith("json")) return text;
      const body: unknown = JSON.parse(text);
      if (!response.ok) requireMembers(body as object);
      const isValid = ajv.validate(`api${pointerTo([...names, "content", declared, "schema"])}`, body);
      assert.ok(isValid, `${JSON.stringify(ajv.errors)} in ${text.slice(0, 500)}`);
      return body;
    },
  };
}
