/**
 * Validation by ajv. A body has the types that it has: 5 is not "5". Parameters of a URL are text, so there a
 * number is converted. A schema is compiled when its route gets its first request.
 */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifyInstance, FastifySchemaCompiler } from "fastify";
import { Problem } from "./problems.ts";
import { isTime } from "./schemas.ts";

/** Of a route that takes no parameters in its URL. */
export const NO_QUERY = { type: "object", properties: {}, additionalProperties: false } as const;

const newAjv = (coerceTypes: boolean, allErrors: boolean): Ajv2020 => {
  const ajv = new Ajv2020({
    coerceTypes,
    removeAdditional: false,
    useDefaults: true,
    allErrors,
    discriminator: true,
  });
  addFormats.default(ajv);
  // Of the times that RFC 3339 allows, only what a Date can represent: not 23:59:60.
  ajv.addFormat("date-time", isTime);
  return ajv;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether all are objects with a fixed `kind`. */
const haveKinds = (schemas: unknown): boolean =>
  Array.isArray(schemas) &&
  schemas.every((one: unknown) => {
    const { kind } = (isObject(one) && isObject(one.properties) ? one.properties : {}) as {
      readonly kind?: unknown;
    };
    return isObject(kind) && "const" in kind;
  });

/**
 * The schema with alternatives told apart by `kind`, so that an error is about the alternative that was
 * meant. Not in the OpenAPI document: generators take the names of components for the kinds.
 */
function byKind(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(byKind);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, byKind(value)]));
  if (!haveKinds(inner.anyOf)) return inner;
  const { anyOf, ...rest } = inner;
  return {
    ...rest,
    type: "object",
    discriminator: { propertyName: "kind" },
    required: ["kind"],
    oneOf: anyOf,
  };
}

/** As ajv compiles it: returns whether the data is valid, and keeps the errors. */
interface Check {
  (data: unknown): boolean;
  errors: NonNullable<ValidateFunction["errors"]> | null;
}

/** Every wrong place is found in a body of at most so many values; in a larger one, that takes too long. */
const MAX_VALUES = 1000;
function hasFewValues(data: unknown): boolean {
  let values = 0;
  const count = (value: unknown): boolean =>
    ++values <= MAX_VALUES &&
    (typeof value !== "object" || value === null || Object.values(value).every(count));
  return count(data);
}

/** Many routes have the same parameters, and several servers of a process the same routes. */
const compiled = new Map<string, ValidateFunction>();
const ajvs = new Map<string, Ajv2020>();
function compile(schema: unknown, coercesTypes: boolean, allErrors: boolean): ValidateFunction {
  const options = `${coercesTypes} ${allErrors}`;
  const key = `${options} ${JSON.stringify(schema)}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const ajv = ajvs.get(options) ?? newAjv(coercesTypes, allErrors);
  ajvs.set(options, ajv);
  const made = ajv.compile(byKind(schema) as object);
  compiled.set(key, made);
  return made;
}

export function validate(scope: FastifyInstance): void {
  const checkOf: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
    const coercesTypes = httpPart !== "body";
    const checks: { first?: ValidateFunction; all?: ValidateFunction } = {};
    const errorsIn = (data: unknown, which: "first" | "all") => {
      checks[which] ??= compile(schema, coercesTypes, which === "all");
      return checks[which](data) ? null : (checks[which].errors ?? null);
    };
    const check: Check = Object.assign(
      (data: unknown) => {
        check.errors = errorsIn(data, "first");
        if (check.errors === null) return true;
        if (hasFewValues(data)) check.errors = errorsIn(data, "all") ?? check.errors;
        return false;
      },
      { errors: null },
    );
    return check;
  };
  scope.setValidatorCompiler(checkOf);
}

/**
 * Of a route without a body: what a client sends there has no effect, and the client must not believe that it
 * has. It has no schema, because the OpenAPI document would then describe a body.
 */
export function refuseMembers(body: unknown): void {
  if (body === undefined || body === null || (isObject(body) && Object.keys(body).length === 0)) return;
  const detail = "must be empty, because this path and method take no body";
  throw new Problem("invalid-request", `The body ${detail}.`, { errors: [{ pointer: "#", detail }] });
}
