/** The OpenAPI document, made from the schemas of the routes. */
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { createdPath, type Route } from "../route.ts";
import { type Components, hoistSchemas } from "./components.ts";
import { describeHeaders, type Operation, type Properties, problemComponents } from "./headers.ts";
import { operationId } from "./operation-id.ts";

export const OPENAPI_PATH = "/openapi.json";

/** OpenAPI 3.1 has the identifier, which the types of the plugin do not know yet. */
const LICENCE = { name: "MIT License", identifier: "MIT" } as { readonly name: string };

/**
 * To be called before the routes are added. `base` is the path of the API as clients see it, `served` that of
 * the scope, without which its paths are listed.
 */
export async function describeRoutes(
  scope: FastifyInstance,
  routes: readonly Route[],
  {
    base,
    served,
    version,
    tags,
  }: {
    readonly base: string;
    readonly served: string;
    readonly version: string;
    /** What the routes under each tag are about. */
    readonly tags: Readonly<Record<string, string>>;
  },
): Promise<void> {
  await scope.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Mailroll",
        version,
        description: "Manage accounts, lists, subscribers, campaigns and users as JSON over HTTP.",
        license: LICENCE,
        contact: { name: "The operator of this installation" },
      },
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
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
    describeHeaders(operation, route, createdPath(route, routes) !== null);
    nameBody(operation, operationId(route));
  }
}

/** A body that has no name gets that of its operation, such as `ListCreateBody`. */
function nameBody({ requestBody }: Operation, id: string): void {
  const body = requestBody?.content["application/json"];
  const name = id.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase());
  if (body?.schema.type === "object")
    body.schema = {
      title: `${name}Body`,
      ...body.schema,
      properties: withoutDefaults(body.schema.properties),
    };
}
/** Generators take a member of a named schema with a default for one that is always there. */
const withoutDefaults = (properties: Properties = {}): Properties =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { default: value, ...member }]) => [
      name,
      value === undefined
        ? member
        : { ...member, description: `${member.description ?? ""} Default: ${JSON.stringify(value)}.`.trim() },
    ]),
  );
