/** The API for programs, scripts and the console: all that an operator can do, as JSON. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Document, DocumentCache, representationFor } from "#http/cached-documents.ts";
import type { ErrorReplies } from "#http/not-found.ts";
import { API_PATH } from "#web/api-path.ts";
import { CACHE_CONTROL } from "#web/json-errors.ts";
import { describeRoutes, OPENAPI_PATH } from "./kit/openapi.ts";
import { PROBLEM_TYPE, Problem, problemDocument } from "./kit/problems.ts";
import type { RouteOptions, TaggedRoute } from "./kit/route.ts";
import { serveRoutes } from "./kit/serve-routes.ts";
import { referenceAssets, referencePage } from "./reference/page.ts";
import { routes as allRoutes, tags } from "./routes.ts";

export const REFERENCE_PATH = "/reference";
/** It is the same for everybody, and changes with the version of the program. */
const DESCRIPTION_CACHE = "public, max-age=300";
/** The reference has half a megabyte. */
export const MAX_BASES = 4;

export interface ApiOptions extends RouteOptions {
  /** The path of the service's base address. */
  readonly prefix: string;
  readonly version: string;
  /** The address of the service, as the client sees it. */
  readonly baseOf: (request: FastifyRequest) => string;
}

/** `prefix` is the path of the service's base address. */
export function badUrlReply(prefix: string): ErrorReplies["badUrl"] {
  const problem = new Problem(
    "invalid-request",
    "The path of the URL cannot be read: a percent sign in it does not begin an encoded character (UTF-8).",
  );
  const headers = { "Content-Type": PROBLEM_TYPE, "Cache-Control": CACHE_CONTROL };
  const text = JSON.stringify(problemDocument(problem, `${prefix}${API_PATH}`));
  return () => ({ headers, text });
}

export function addApi(
  fastify: FastifyInstance,
  options: ApiOptions,
  routes: readonly TaggedRoute[] = allRoutes,
): void {
  const { prefix, version } = options;
  for (const one of new Set(["", prefix]))
    void fastify.register(
      async (scope) => {
        const base = `${prefix}${API_PATH}`;
        await describeRoutes(scope, routes, { base, served: `${one}${API_PATH}`, version, tags });
        await serveRoutes(scope, base, routes, options);
        scope.get("/", { schema: { hide: true } }, (_request, reply) =>
          reply.redirect(`${base}${REFERENCE_PATH}`),
        );
        const references = new DocumentCache(MAX_BASES);
        const descriptions = new DocumentCache(1);
        const send = (request: FastifyRequest, reply: FastifyReply, document: Document) => {
          const { status, headers, body } = representationFor(request.raw, document);
          return reply.code(status).headers(headers).send(body);
        };
        scope.get(REFERENCE_PATH, { schema: { hide: true } }, (request, reply) =>
          send(
            request,
            reply,
            references.find(options.baseOf(request), "reference", {
              headers: {
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": referenceAssets.contentSecurityPolicy,
              },
              render: (address) => referencePage(routes, address, tags),
            }),
          ),
        );
        scope.get(OPENAPI_PATH, { schema: { hide: true } }, (request, reply) =>
          send(
            request,
            reply,
            descriptions.find("", "description", {
              headers: {
                "Content-Type": "application/json; charset=utf-8",
                "Cache-Control": DESCRIPTION_CACHE,
              },
              render: () => JSON.stringify(scope.swagger()),
            }),
          ),
        );
      },
      { prefix: `${one}${API_PATH}` },
    );
}
