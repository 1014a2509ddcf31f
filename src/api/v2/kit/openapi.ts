/** The OpenAPI document, made from the schemas of the routes. */

import { STATUS_CODES } from "node:http";
import { isDeepStrictEqual } from "node:util";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "#domain/idempotency.ts";
import { IDEMPOTENCY_HEADER, takesIdempotencyKey, takesIfMatch } from "./preconditions.ts";
import { PROBLEM, ProblemSchema, problemTypes } from "./problems.ts";
import { createdPath, isStream, type Route } from "./route.ts";

// The names of routes in the OpenAPI document, from which generators make the names of functions.

/** camelCase words with dots between them, such as `subscriber.bulkPreview` and `job.list.installation`. */
export const operationId = ({ id, action, isOfInstallation }: Route): string =>
  `${id ?? action.name}${isOfInstallation === true ? ".installation" : ""}`;

/**
 * Schemas with a title become components of the OpenAPI document, so that generators make types with names.
 * Only in the document: validation and serialisation use the schemas as the routes declare them.
 */
type Schema = Readonly<Record<string, unknown>>;
export type Components = Record<string, Schema>;

const isNamed = (value: Schema): value is Schema & { readonly title: string } =>
  typeof value.title === "string" && value.type === "object";

/**
 * The value, with references in place of schemas with a title. Adds these schemas to `components`. Throws if
 * two different ones have the same title.
 */
export function hoistSchemas(value: unknown, components: Components): unknown {
  if (Array.isArray(value)) return value.map((one) => hoistSchemas(one, components));
  if (typeof value !== "object" || value === null) return value;
  const hoisted = Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hoistSchemas(one, components)]),
  );
  return isNamed(hoisted) ? referenceTo(hoisted, components) : hoisted;
}

/** The same schema may have another description in another place. */
function referenceTo(schema: Schema & { readonly title: string }, components: Components): Schema {
  const { title, description, ...declared } = schema;
  components[title] ??= schema;
  const { title: _, description: usual, ...known } = components[title];
  if (!isDeepStrictEqual(declared, known))
    throw new Error(`two schemas have the title ${title}, and are not the same`);
  return {
    $ref: `#/components/schemas/${title}`,
    ...(description === undefined || description === usual ? {} : { description }),
  };
}

// What the OpenAPI document says about a route beside its schemas: the problems that it may reply with, and
// the headers of requests and replies.

/** As the document has it. */
interface Operation {
  parameters?: unknown[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { schema: BodySchema }>>;
  };
  readonly responses: Record<string, { headers?: object } | Reference>;
}
interface BodySchema {
  readonly type?: string;
  readonly title?: string;
  readonly properties?: Properties;
}
type Properties = Readonly<Record<string, { readonly default?: unknown; readonly description?: string }>>;
interface Reference {
  readonly $ref: string;
}

type Status = (typeof problemTypes)[keyof typeof problemTypes]["status"];
const statuses: readonly Status[] = [
  ...new Set(Object.values(problemTypes).map(({ status }): Status => status)),
];

/** Such as `TooManyRequests`. */
const nameOf = (status: Status): string => (STATUS_CODES[status] ?? "").replaceAll(/\W/g, "");

const retryAfter = {
  "Retry-After": {
    description: "After how many seconds to try again.",
    schema: { type: "integer", minimum: 0 },
  },
};
const headersOf: Readonly<Partial<Record<Status, object>>> = {
  401: {
    "WWW-Authenticate": { description: "`Bearer`: send a token.", schema: { type: "string" } },
  },
  429: retryAfter,
  503: retryAfter,
};

const problemResponse = (status: Status) => ({
  description: Object.entries(problemTypes)
    .filter(([, type]) => type.status === status)
    .map(([name, { when }]) => `\`${name}\`: ${when}`)
    .join("\n\n"),
  ...(headersOf[status] === undefined ? {} : { headers: headersOf[status] }),
  content: { "application/problem+json": { schema: { $ref: `#/components/schemas/${PROBLEM}` } } },
});

const problemComponents = {
  schemas: { [PROBLEM]: ProblemSchema },
  responses: Object.fromEntries(statuses.map((status) => [nameOf(status), problemResponse(status)])),
};

const isChange = ({ method }: Route): boolean => method !== "GET";
const hasBody = ({ body, takesBytes }: Route): boolean => body !== undefined || takesBytes === true;
/** null: not of a path and method that the document has. */
const occurs: Readonly<Record<Status, ((route: Route) => boolean) | null>> = {
  400: () => true,
  401: () => true,
  403: ({ action, logsIn }) => action.role !== "anyone" && logsIn === undefined,
  404: (route) => route.path.includes("{") || hasBody(route) || route.action.role === "user",
  405: null,
  409: (route) => isChange(route) || route.mayConflict === true,
  412: takesIfMatch,
  413: hasBody,
  415: hasBody,
  422: isChange,
  429: () => true,
  500: () => true,
  503: () => true,
};

const idempotencyKey = {
  name: IDEMPOTENCY_HEADER,
  in: "header",
  required: false,
  description:
    "A text of your choice, a new one for each request. Within 24 hours, requests with the same key are executed only once.",
  schema: { type: "string", minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY_LENGTH },
};
const ifMatch = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The `ETag` of an earlier reply, or several: the change is made only if nobody has changed the same thing since. `*` is any version.",
  schema: { type: "string", examples: ['"nRSdkP3kHB1"'] },
};
const etag = {
  ETag: {
    description:
      "The version of what the reply describes. Send it as `If-Match` with a change, or as `If-None-Match` with a `GET`: if nothing has changed, the reply is 304, without a body.",
    schema: { type: "string" },
  },
};
const location = {
  Location: { description: "The path of what was created.", schema: { type: "string" } },
};
const contentDisposition = {
  "Content-Disposition": {
    description: "The name under which a browser saves the file.",
    schema: { type: "string" },
  },
};

/** Completes what was made from the schemas. */
function describeHeaders(operation: Operation, route: Route, isShown: boolean): void {
  operation.parameters = [
    ...(operation.parameters ?? []),
    ...(takesIdempotencyKey(route) ? [idempotencyKey] : []),
    ...(takesIfMatch(route) ? [ifMatch] : []),
  ];
  const headers = isStream(route)
    ? contentDisposition
    : { ...(route.thing === undefined ? {} : etag), ...(isShown ? location : {}) };
  if (Object.keys(headers).length > 0)
    for (const response of Object.values(operation.responses)) Object.assign(response, { headers });
  for (const status of statuses)
    if (occurs[status]?.(route) === true)
      operation.responses[status] = { $ref: `#/components/responses/${nameOf(status)}` };
}

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
