/** The API for programs, scripts and the console: all that an operator can do, as JSON. */
import type { FastifyInstance } from "fastify";
import { describeRoutes } from "./kit/openapi.ts";
import type { Route } from "./kit/route.ts";
import { type RouteOptions, serveRoutes } from "./kit/serve-routes.ts";
import { routes as allRoutes } from "./routes.ts";

export const API_PATH = "/api/v2";
export const OPENAPI_PATH = "/openapi.json";

/** Whether a path is one of the API; `prefix` is the path of the service's base address. */
export const isApiPath =
  (prefix: string) =>
  (path: string): boolean =>
    [API_PATH, `${prefix}${API_PATH}`].some((base) => path === base || path.startsWith(`${base}/`));

interface ApiOptions extends RouteOptions {
  /** The path of the service's base address. */
  readonly prefix: string;
  readonly version: string;
}

export function addApi(
  fastify: FastifyInstance,
  options: ApiOptions,
  routes: readonly Route[] = allRoutes,
): void {
  const { prefix, version } = options;
  for (const one of new Set(["", prefix]))
    void fastify.register(
      async (scope) => {
        await describeRoutes(scope, `${prefix}${API_PATH}`, version);
        serveRoutes(scope, `${prefix}${API_PATH}`, routes, options);
        scope.get(OPENAPI_PATH, { schema: { hide: true } }, (_request, reply) => reply.send(scope.swagger()));
      },
      { prefix: `${one}${API_PATH}` },
    );
}
