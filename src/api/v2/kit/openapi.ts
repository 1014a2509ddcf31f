/** The OpenAPI document, made from the schemas of the routes. */
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";

export const OPENAPI_PATH = "/openapi.json";

const PROBLEM = "Problem";
const problemSchema = {
  type: "object",
  description: "A problem document (RFC 9457).",
  properties: {
    type: { type: "string", format: "uri-reference" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          pointer: { type: "string", description: "The place in the body, as a JSON Pointer." },
          parameter: { type: "string", description: "The parameter of the URL." },
          header: { type: "string", description: "The header of the request." },
          detail: { type: "string" },
        },
        required: ["detail"],
      },
    },
  },
  required: ["type", "title", "status", "detail"],
};

/**
 * To be called before the routes are added. `base` is the path of the API as clients see it, `served` that of
 * the scope, without which its paths are listed.
 */
export async function describeRoutes(
  scope: FastifyInstance,
  { base, served, version }: { readonly base: string; readonly served: string; readonly version: string },
): Promise<void> {
  await scope.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Mailroll", version },
      servers: [{ url: served }],
      components: {
        securitySchemes: { token: { type: "http", scheme: "bearer" } },
        schemas: { [PROBLEM]: problemSchema as never },
      },
      security: [{ token: [] }],
    },
    transformObject: (documents) => {
      if (!("openapiObject" in documents)) throw new Error("the document is not one of OpenAPI 3");
      addProblems(documents.openapiObject.paths ?? {});
      return { ...documents.openapiObject, servers: [{ url: base }] };
    },
  });
}

const problemResponse = {
  description: "A problem.",
  content: { "application/problem+json": { schema: { $ref: `#/components/schemas/${PROBLEM}` } } },
};

type Operations = Readonly<Record<string, { readonly responses: Record<string, unknown> }>>;

/** Every operation may reply with a problem. */
function addProblems(paths: object): void {
  for (const operations of Object.values(paths as Readonly<Record<string, Operations>>))
    for (const { responses } of Object.values(operations)) responses.default = problemResponse;
}
