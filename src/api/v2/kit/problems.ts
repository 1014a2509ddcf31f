/**
 * Every error of the API as a problem document (RFC 9457). The table lists all types of problems; the
 * reference page is made from it.
 */
import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import { Type } from "typebox";
import { namedProblem, refusalText, sentence, UNAVAILABLE_TEXT } from "#admin/error-texts.ts";
import {
  AlreadyDone,
  AlreadyExists,
  Forbidden,
  InvalidInput,
  NotFound,
  NotPossible,
  NotReady,
  Outdated,
  RateLimited,
  Refused,
} from "#admin/kit/errors.ts";
import { Fault, type FaultCode, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import { IdempotencyKeyReused, StoreUnavailable } from "#domain/ports/errors.ts";
import { routeOf } from "#http/route-requests.ts";
import { CACHE_CONTROL, type OnDefect } from "#web/json-errors.ts";
import type { Route } from "./route.ts";
import { camel, Nullable } from "./schemas.ts";

// Where the errors of a request are, in the words of a problem document.

/**
 * Where an error is: a place in the body as a JSON Pointer, a parameter of the URL, or a header. Empty: there
 * is no smaller place than the whole body, such as in the bytes of a file.
 */
type ErrorLocation =
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }
  | Readonly<Record<never, never>>;

/** A name within a JSON Pointer (RFC 6901). */
const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");

const hasMember = (schema: unknown, name: string): boolean =>
  Object.hasOwn((schema as { readonly properties?: object } | undefined)?.properties ?? {}, name);

const isParameter = (name: string, route: Route | undefined): boolean =>
  hasMember(route?.query, name) || route?.path.includes(`{${name}}`) === true;

/** Whether the request has such an input at all. */
function hasInput(input: string, route: Route | undefined): boolean {
  const name = route?.inputs?.[input] ?? input;
  return isParameter(name, route) || hasMember(route?.body, name.split("/")[0] ?? "");
}

/** Where the request has an input of the action, and how a sentence names it. */
function locationOf(
  input: string,
  route: Route | undefined,
): { readonly name: string; readonly location: ErrorLocation } {
  const name = route?.inputs?.[input] ?? input;
  if (isParameter(name, route)) return { name, location: { parameter: name } };
  if (route?.takesBytes === true) return { name, location: {} };
  return { name, location: { pointer: `#/${name.split("/").map(escaped).join("/")}` } };
}

const MAX_SHOWN = 100;
const formats: Readonly<Record<string, string>> = {
  date: "is not a date such as 2026-11-01",
  "date-time": "is not a time such as 2026-11-01T09:30:00Z",
};

type Found = NonNullable<FastifyError["validation"]>;
/** Of a value that may also be null, ajv reports that it is not null, and that no alternative fits. */
const withoutAlternatives = (found: Found): Found => {
  const telling = found.filter(
    ({ keyword, params }) => keyword !== "anyOf" && !(keyword === "type" && params.type === "null"),
  );
  return telling.length === 0 ? found : telling;
};

/** A body may be wrong in many places. */
const MAX_ERRORS = 100;

/** What ajv has found, each with its location; of several errors in one location, the first. */
function errorLocations(
  found: Found,
  context: FastifyError["validationContext"],
): readonly (ErrorLocation & { readonly detail: string })[] {
  const byLocation = new Map<string, ErrorLocation & { readonly detail: string }>();
  for (const one of withoutAlternatives(found)) {
    const wrong = errorLocation(one, context);
    const location = "pointer" in wrong ? wrong.pointer : wrong.parameter;
    if (!byLocation.has(location)) byLocation.set(location, wrong);
    if (byLocation.size === MAX_ERRORS) break;
  }
  return [...byLocation.values()];
}

function errorLocation(
  { instancePath, keyword, params, message: text = "" }: Found[number],
  context: FastifyError["validationContext"],
): ({ readonly pointer: string } | { readonly parameter: string }) & { readonly detail: string } {
  const tag = keyword === "discriminator" ? params.tag : undefined;
  const names: readonly unknown[] = [tag, params.additionalProperty, params.missingProperty];
  const last = names.find((name) => typeof name === "string") ?? null;
  const isBody = context === "body";
  const shown = (last ?? "").slice(0, MAX_SHOWN);
  const path = last === null ? instancePath : `${instancePath}/${isBody ? escaped(shown) : shown}`;
  const detail =
    keyword === "additionalProperties"
      ? "is not known"
      : keyword === "required"
        ? "is missing"
        : keyword === "enum"
          ? `must be one of ${(params.allowedValues as readonly unknown[]).join(", ")}`
          : keyword === "discriminator"
            ? "is not one of the kinds that the reference lists"
            : keyword === "pattern" && context === "params"
              ? "is not an id"
              : keyword === "format"
                ? (formats[String(params.format)] ?? text)
                : text;
  return isBody ? { pointer: `#${path}`, detail } : { parameter: path.replace(/^\//, ""), detail };
}

/** A problem document: a reply, or a part of one, such as of one item of a batch. */
const Text = (description: string) => Type.Optional(Type.String({ description }));
const members = {
  type: Type.String({
    format: "uri-reference",
    description: "The kind of problem, as a link to its description in the reference.",
  }),
  title: Type.String({ description: "The kind of problem in a few words." }),
  status: Type.Integer({ description: "The HTTP status." }),
  detail: Type.String({ description: "What was wrong, and what to do next." }),
  thing: Text("What was not found, such as `list`."),
  outcome: Text("The outcome that a SOAP call for the same change would get, such as `unsubscribed`."),
  id: Type.Optional(
    Nullable(
      Type.String({ description: "What an earlier request with the same idempotency key has created." }),
    ),
  ),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        pointer: Text("The place in the body, as a JSON Pointer."),
        parameter: Text("The parameter of the URL."),
        header: Text("The header of the request."),
        detail: Type.String({ description: "What is wrong there." }),
      }),
      { description: "Each wrong place of the request." },
    ),
  ),
};

export const PROBLEM = "Problem";
const problemSchema = (description: string) => Type.Object(members, { title: PROBLEM, description });

export const ProblemSchema = problemSchema("A problem document (RFC 9457).");
export const ProblemOrNull = (description: string) => Nullable(problemSchema(description));

interface ProblemType {
  readonly status: number;
  readonly title: string;
  /** When it occurs, for the reference. */
  readonly when: string;
}
export const problemTypes = {
  "invalid-request": {
    status: 400,
    title: "The request is not valid",
    when: "The body is not JSON; a member is missing, unknown or not allowed here; or a value breaks a rule. `errors` names each place.",
  },
  unauthorized: {
    status: 401,
    title: "A valid token is needed",
    when: "The request has no token; the token is unknown, expired or revoked; or its user is disabled.",
  },
  "log-in-failed": {
    status: 401,
    title: "The log-in failed",
    when: "The e-mail address, the password or the code of a log-in is wrong; codes of the user are refused after ten wrong ones; or the user is disabled or has no password. The reply does not say which.",
  },
  "code-needed": {
    status: 401,
    title: "A code is needed",
    when: "The user has a second factor; this does not say whether the password is right. Repeat the log-in with a `code` as well.",
  },
  forbidden: {
    status: 403,
    title: "The role is not sufficient",
    when: "The request needs a higher role than the token or its user has in the account. `detail` says more.",
  },
  "not-found": {
    status: 404,
    title: "Not found",
    when: "The path is unknown, or the account has nothing with this id.",
  },
  "method-not-allowed": {
    status: 405,
    title: "The path does not support this method",
    when: "The path exists, but not with this method. The header `Allow` lists the methods that it supports.",
  },
  "already-exists": {
    status: 409,
    title: "It already exists",
    when: "Something else already has the same id, name, address or key. `errors` says which.",
  },
  "not-possible": {
    status: 409,
    title: "It cannot be done now",
    when: "What the request is about exists, but its present state does not allow the request. If there are several reasons, `errors` has each.",
  },
  "already-done": {
    status: 409,
    title: "The request was already executed",
    when: "An earlier request with the same `Idempotency-Key` was executed, and its reply cannot be repeated: only that reply contained the secret that it created, and `id` is the id of what it created; or it removed or changed what the request is about. Nothing was changed now.",
  },
  outdated: {
    status: 412,
    title: "It was changed since you read it",
    when: "The version in `If-Match` is not the current one. Read it again, then repeat the change.",
  },
  "too-large": {
    status: 413,
    title: "The body is too large",
    when: "The body is over the limit of the route.",
  },
  "unsupported-media-type": {
    status: 415,
    title: "The media type is not supported",
    when: "The body is not sent as `application/json`; or a part of an upload is not sent as `application/octet-stream`.",
  },
  "idempotency-key-reused": {
    status: 422,
    title: "The idempotency key belongs to another request",
    when: "You sent a different request with the same `Idempotency-Key` within the last 24 hours.",
  },
  refused: {
    status: 422,
    title: "The rules refuse the change",
    when: "A SOAP call for the same change would be refused, too. `outcome` is the outcome of that call, such as `unsubscribed`.",
  },
  throttled: {
    status: 429,
    title: "Too many requests",
    when: "Too many log-ins or tokens from your IP address, or too many log-ins or codes of this user, have failed; or an hourly limit is reached; or the service is busy. `Retry-After` says after how many seconds to try again.",
  },
  "internal-error": {
    status: 500,
    title: "Something went wrong on our side",
    when: "An unexpected error in the service. `detail` contains a reference, which is also in the log of the service.",
  },
  unavailable: {
    status: 503,
    title: "The database does not answer",
    when: "The service cannot reach its database. `Retry-After` says after how many seconds to try again.",
  },
} as const satisfies Record<string, ProblemType>;
type ProblemName = keyof typeof problemTypes;

export class Problem extends Error {
  override readonly name = "Problem";
  readonly type: ProblemName;
  readonly errors: readonly (ErrorLocation & { readonly detail: string })[];
  readonly more: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | number>>;

  constructor(
    type: ProblemName,
    detail: string,
    options: {
      readonly errors?: Problem["errors"];
      readonly more?: Problem["more"];
      readonly headers?: Problem["headers"];
    } = {},
  ) {
    super(detail);
    this.type = type;
    this.errors = options.errors ?? [];
    this.more = options.more ?? {};
    this.headers = options.headers ?? {};
  }
}

export const PROBLEM_TYPE = "application/problem+json; charset=utf-8";

/** `base` is the path of the API, for the links to the reference. */
export function problemDocument(problem: Problem, base: string) {
  const { status, title } = problemTypes[problem.type];
  return {
    type: `${base}/reference#problem-${problem.type}`,
    title,
    status,
    detail: problem.message,
    ...problem.more,
    ...(problem.errors.length === 0 ? {} : { errors: [...problem.errors] }),
  };
}

function sendProblem(reply: FastifyReply, base: string, problem: Problem): FastifyReply {
  const document = problemDocument(problem, base);
  return reply
    .code(document.status)
    .headers(problem.headers)
    .header("Content-Type", PROBLEM_TYPE)
    .header("Cache-Control", CACHE_CONTROL)
    .serializer((value: unknown) => JSON.stringify(value))
    .send(document);
}

export function answerProblems(scope: FastifyInstance, base: string, onDefect: OnDefect): void {
  scope.setErrorHandler((error, request, reply) => {
    const { route } = request.routeOptions.config;
    const known = problemOf(error, route);
    if (known !== null) return sendProblem(reply, base, known);
    const reference = onDefect(error, routeOf(request));
    return sendProblem(reply, base, new Problem("internal-error", `Reference: ${reference}`));
  });
}

/** null: a defect. */
export function problemOf(error: unknown, route: Route | undefined): Problem | null {
  if (error instanceof Problem) return error;
  if (error instanceof InvalidInput) {
    const { name, location } = locationOf(error.input, route);
    return new Problem("invalid-request", namedProblem(name, error.message), {
      errors: [{ ...location, detail: error.message }],
    });
  }
  if (error instanceof NotFound)
    return new Problem("not-found", sentence(error.message), {
      more: { thing: camel(error.thing) },
      // Named by the input, or by a member of the body for the thing.
      errors: wrongInput(
        error.input ?? (route?.inputs?.[error.thing] === undefined ? null : error.thing),
        "does not exist",
        route,
      ),
    });
  if (error instanceof AlreadyExists)
    return new Problem("already-exists", sentence(error.message), {
      errors: wrongInput(error.input, error.detail, route),
    });
  if (error instanceof NotReady)
    return new Problem("not-possible", sentence(error.what), {
      errors: error.problems.map((problem) => ({ detail: sentence(problem) })),
    });
  if (error instanceof RateLimited)
    return new Problem("throttled", sentence(error.message), {
      headers: { "Retry-After": error.retryAfterSeconds },
    });
  if (error instanceof AlreadyDone) return new Problem("already-done", sentence(error.message));
  if (error instanceof NotPossible) return new Problem("not-possible", sentence(error.message));
  if (error instanceof Outdated) return new Problem("outdated", sentence(error.message));
  if (error instanceof IdempotencyKeyReused)
    return new Problem(
      "idempotency-key-reused",
      "You sent another request with this Idempotency-Key; nothing was changed. Use a new key.",
    );
  if (error instanceof Forbidden) return new Problem("forbidden", sentence(error.message));
  if (error instanceof Refused) return ofRefusal(error, route);
  if (error instanceof Fault) return ofFault(error);
  if (error instanceof StoreUnavailable)
    return new Problem("unavailable", UNAVAILABLE_TEXT, {
      headers: { "Retry-After": RETRY_AFTER_SECONDS },
    });
  return ofFastify(error as Partial<FastifyError>);
}

const wrongInput = (input: string | null, detail: string, route: Route | undefined): Problem["errors"] =>
  input === null ? [] : [{ ...locationOf(input, route).location, detail }];

/** Outcomes that say that what the request names does not exist, or exists already. */
const ofOutcomes: Readonly<Record<string, ProblemName>> = {
  UnknownList: "not-found",
  UnknownField: "not-found",
  NotOnList: "not-found",
  FieldExists: "already-exists",
};
/** Of outcomes that are about one input. */
const wrongInputs: Readonly<Record<string, readonly [input: string, detail: string]>> = {
  UnknownList: ["list", "does not exist"],
  FieldExists: ["name", "is already in use"],
  InvalidFieldName: ["name", "is not a valid name of a field"],
  InvalidEmail: ["email", "is not an e-mail address"],
};
function ofRefusal(refused: Refused, route: Route | undefined): Problem {
  const { outcome } = refused;
  const [input, detail] = wrongInputs[outcome] ?? ["", ""];
  return new Problem(ofOutcomes[outcome] ?? "refused", refusalText(refused), {
    more: { outcome: camel(outcome) },
    errors: wrongInput(hasInput(input, route) ? input : null, detail, route),
  });
}

const ofFaults: Readonly<Partial<Record<FaultCode, ProblemName>>> = {
  InvalidMessage: "invalid-request",
  TooLarge: "too-large",
  UnsupportedMediaType: "unsupported-media-type",
  Throttled: "throttled",
  Unavailable: "unavailable",
};
function ofFault({ code, message, retryAfterSeconds }: Fault): Problem | null {
  const type = ofFaults[code];
  if (type === undefined) return null;
  return new Problem(type, message, {
    headers: retryAfterSeconds === null ? {} : { "Retry-After": retryAfterSeconds },
  });
}

/** Errors that fastify and ajv find in a request; null: a defect. */
function ofFastify({ validation, validationContext, statusCode = 500, message = "" }: Partial<FastifyError>) {
  if (validation === undefined)
    return statusCode < 500 ? new Problem("invalid-request", sentence(message)) : null;
  const errors = errorLocations(validation, validationContext);
  const [first] = errors;
  const where = Object.values(first ?? { place: "" })[0] ?? "";
  return new Problem(
    "invalid-request",
    `${where === "#" ? "the body" : where}: ${first?.detail ?? "is wrong"}.`,
    {
      errors,
    },
  );
}
