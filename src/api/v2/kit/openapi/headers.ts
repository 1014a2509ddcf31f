/**
 * What the OpenAPI document says about a route beside its schemas: the problems that it may reply with, and
 * the headers of requests and replies.
 */
import { STATUS_CODES } from "node:http";
import { MAX_IDEMPOTENCY_KEY_LENGTH } from "#domain/idempotency.ts";
import { PROBLEM, ProblemSchema } from "../problems/problem-schema.ts";
import { problemTypes } from "../problems/problems.ts";
import { isStream, type Route } from "../route.ts";
import { IDEMPOTENCY_HEADER, takesIdempotencyKey, takesIfMatch } from "../serve/preconditions.ts";

/** As the document has it. */
export interface Operation {
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
export type Properties = Readonly<
  Record<string, { readonly default?: unknown; readonly description?: string }>
>;
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

export const problemComponents = {
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
export function describeHeaders(operation: Operation, route: Route, isShown: boolean): void {
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
