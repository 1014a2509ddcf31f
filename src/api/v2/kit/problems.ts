/**
 * Every error of the API as a problem document (RFC 9457). The table lists all types of problems; the
 * reference page is made from it.
 */
import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import {
  AlreadyExists,
  Forbidden,
  InvalidInput,
  NotFound,
  NotPossible,
  Outdated,
  Refused,
} from "../../../admin/errors.ts";
import { Fault, type FaultCode, RETRY_AFTER_SECONDS } from "../../../contract/faults.ts";
import { type OutcomeName, outcomes } from "../../../contract/outcomes.ts";
import { IdempotencyKeyReused, StoreUnavailable } from "../../../domain/ports/errors.ts";
import { CACHE_CONTROL, type OnDefect } from "../../problems.ts";
import type { Route } from "./route.ts";

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
    when: "The body is not JSON, a member is missing, not known or not allowed, or a value breaks a rule. `errors` names each place.",
  },
  unauthorized: {
    status: 401,
    title: "A valid token is needed",
    when: "There is no token, or it is unknown, expired or revoked, or its user is disabled.",
  },
  "code-needed": {
    status: 401,
    title: "A code is needed",
    when: "The password is right, and the user has a second factor: repeat the log-in with its code.",
  },
  forbidden: {
    status: 403,
    title: "The role is not sufficient",
    when: "The token or its user has a lesser role in the account, or none.",
  },
  "not-found": {
    status: 404,
    title: "There is no such thing",
    when: "The path is unknown, or the account has nothing with this id.",
  },
  "method-not-allowed": {
    status: 405,
    title: "The path does not take this method",
    when: "`Allow` lists the methods that it takes.",
  },
  "already-exists": {
    status: 409,
    title: "It exists already",
    when: "Another thing has the same name, id, address or key.",
  },
  "not-possible": {
    status: 409,
    title: "It cannot be done now",
    when: "The thing exists, but its state does not allow the request.",
  },
  "already-done": {
    status: 409,
    title: "The request was executed before",
    when: "A request with the same `Idempotency-Key` created something with a secret. The secret was sent only then; `id` names what was created.",
  },
  outdated: {
    status: 412,
    title: "It is not as you have read it",
    when: "`If-Match` has another version. Read it again, and repeat the change.",
  },
  "too-large": {
    status: 413,
    title: "The body is too large",
    when: "The body is over the limit of the route.",
  },
  "unsupported-media-type": {
    status: 415,
    title: "The media type is not supported",
    when: "The body is not sent as application/json.",
  },
  "idempotency-key-reused": {
    status: 422,
    title: "The key belongs to another request",
    when: "A different request had the same `Idempotency-Key` within the last 24 hours.",
  },
  refused: {
    status: 422,
    title: "The rules refuse it",
    when: "A call by SOAP would have been refused too: `outcome` has its name, such as `Unsubscribed`.",
  },
  throttled: {
    status: 429,
    title: "Too many requests",
    when: "Too many failed log-ins came from your address, or the service is busy. `Retry-After` says when to try again.",
  },
  "internal-error": {
    status: 500,
    title: "Something went wrong on our side",
    when: "A defect. The log has the same reference as `detail`.",
  },
  unavailable: {
    status: 503,
    title: "The database does not answer",
    when: "`Retry-After` says when to try again.",
  },
} as const satisfies Record<string, ProblemType>;
export type ProblemName = keyof typeof problemTypes;

/** Where an error is: a place in the body as a JSON Pointer, a parameter of the URL, or a header. */
export type Place =
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string };

export class Problem extends Error {
  override readonly name = "Problem";
  readonly type: ProblemName;
  readonly errors: readonly (Place & { readonly detail: string })[];
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
    ...(problem.errors.length === 0 ? {} : { errors: problem.errors }),
  };
}

export function sendProblem(reply: FastifyReply, base: string, problem: Problem): FastifyReply {
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
    const reference = onDefect(error, request.routeOptions.url ?? null);
    return sendProblem(reply, base, new Problem("internal-error", `Reference: ${reference}`));
  });
}

/** null: a defect. */
export function problemOf(error: unknown, route: Route | undefined): Problem | null {
  if (error instanceof Problem) return error;
  if (error instanceof InvalidInput) {
    const name = route?.inputs?.[error.input] ?? error.input;
    return new Problem("invalid-request", `${name}: ${error.message}.`, {
      errors: [{ ...placeOf(name, route), detail: error.message }],
    });
  }
  if (error instanceof NotFound)
    return new Problem("not-found", sentence(error.message), { more: { thing: error.thing } });
  if (error instanceof AlreadyExists) return new Problem("already-exists", sentence(error.message));
  if (error instanceof NotPossible) return new Problem("not-possible", sentence(error.message));
  if (error instanceof Outdated) return new Problem("outdated", sentence(error.message));
  if (error instanceof IdempotencyKeyReused)
    return new Problem(
      "idempotency-key-reused",
      "Another request had this key; nothing was changed. Use a new key.",
    );
  if (error instanceof Forbidden) return new Problem("forbidden", sentence(error.message));
  if (error instanceof Refused) return ofRefusal(error);
  if (error instanceof Fault) return ofFault(error);
  if (error instanceof StoreUnavailable)
    return new Problem("unavailable", "The database does not answer; try again in a few seconds.", {
      headers: { "Retry-After": RETRY_AFTER_SECONDS },
    });
  return ofFastify(error as Partial<FastifyError>);
}

/** Outcomes that say that something does not exist, which the request names by its id. */
const missing: ReadonlySet<string> = new Set(["UnknownList", "UnknownField", "NotOnList"]);
function ofRefusal({ outcome, explanation }: Refused): Problem {
  return new Problem(
    missing.has(outcome) ? "not-found" : "refused",
    explanation === null ? meaningOf(outcome) : sentence(explanation),
    { more: { outcome } },
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Of an outcome, as the reference of the operations explains it. */
const meaningOf = (outcome: string): string =>
  Object.hasOwn(outcomes, outcome) ? outcomes[outcome as OutcomeName].text : sentence(outcome);

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

const pointerTo = (name: string): Place => ({
  pointer: `#/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
});

const hasMember = (schema: unknown, name: string): boolean =>
  Object.hasOwn((schema as { readonly properties?: object } | undefined)?.properties ?? {}, name);

/** Of an action's input. */
const placeOf = (name: string, route: Route | undefined): Place =>
  hasMember(route?.query, name) || route?.path.includes(`{${name}}`) === true
    ? { parameter: name }
    : pointerTo(name);

const MAX_SHOWN = 100;
const formats: Readonly<Record<string, string>> = {
  date: "is not a date such as 2026-11-01",
  "date-time": "is not a time such as 2026-11-01T09:30:00Z",
};

/** Errors that fastify and ajv find in a request; null: a defect. */
function ofFastify({ validation, validationContext, statusCode = 500, message = "" }: Partial<FastifyError>) {
  if (validation === undefined)
    return statusCode < 500 ? new Problem("invalid-request", sentence(message)) : null;
  const errors = validation.map(({ instancePath, keyword, params, message: text = "" }) => {
    const undeclared = params.additionalProperty;
    const missing = params.missingProperty;
    const last = typeof undeclared === "string" ? undeclared : typeof missing === "string" ? missing : null;
    const path = last === null ? instancePath : `${instancePath}/${last.slice(0, MAX_SHOWN)}`;
    const detail =
      keyword === "additionalProperties"
        ? "is not known"
        : keyword === "required"
          ? "is missing"
          : keyword === "enum"
            ? `must be one of ${(params.allowedValues as readonly unknown[]).join(", ")}`
            : keyword === "pattern" && validationContext === "params"
              ? "is not an id"
              : keyword === "format"
                ? (formats[String(params.format)] ?? text)
                : text;
    const place: Place =
      validationContext === "body" ? { pointer: `#${path}` } : { parameter: path.replace(/^\//, "") };
    return { ...place, detail };
  });
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
