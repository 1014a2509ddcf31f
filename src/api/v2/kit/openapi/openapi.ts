/** The OpenAPI document, made from the schemas of the routes. */
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import type { Route } from "../route.ts";
import { type Components, hoistSchemas } from "./components.ts";
import { describeHeaders, type Operation, problemComponents } from "./headers.ts";

export const OPENAPI_PATH = "/openapi.json";

/**
 * To be called before the routes are added. `base` is the path of the API as clients see it, `served` that of
 * the scope, without which its paths are listed.
 */
export async function describeRoutes(
  scope: FastifyInstance,
  routes: readonly Route[],
  { base, served, version }: { readonly base: string; readonly served: string; readonly version: string },
): Promise<void> {
  await scope.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Mailroll", version },
      servers: [{ url: served }],
      components: {
        securitySchemes: { token: { type: "http", scheme: "bearer" } },
        ...(problemComponents as object),
      },
      security: [{ token: [] }],
    },
    transformObject: (documents) => {
      if (!("openapiObject" in documents)) throw new Error("the document is not one of OpenAPI 3");
      const { openapiObject } = documents;
      describeEach(routes, openapiObject.paths ?? {});
      const schemas = { ...openapiObject.components?.schemas } as Components;
      const paths = hoistSchemas(openapiObject.paths ?? {}, schemas) as Paths;
      const components = { ...openapiObject.components, schemas: schemas as object };
      return { ...openapiObject, paths, components, servers: [{ url: base }] };
    },
  });
}

type Paths = Readonly<Record<string, object>>;
type Operations = Readonly<Record<string, Operation>>;

function describeEach(routes: readonly Route[], paths: object): void {
  const described = paths as Readonly<Record<string, Operations>>;
  for (const route of routes) {
    const operation = described[route.path]?.[route.method.toLowerCase()];
    if (operation === undefined)
      throw new Error(`${route.method} ${route.path} is not in the OpenAPI document`);
    describeHeaders(operation, route);
  }
}
