/**
 * Validation by ajv. A body has the types that it has: 5 is not "5". Parameters of a URL are text, so there a
 * number is converted. A schema is compiled when its route gets its first request.
 */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FastifyInstance, FastifySchemaCompiler } from "fastify";
import { isTime } from "../time.ts";

const newAjv = (coerceTypes: boolean): Ajv2020 => {
  const ajv = new Ajv2020({ coerceTypes, removeAdditional: false, useDefaults: true, allErrors: false });
  addFormats.default(ajv);
  // Of those that RFC 3339 allows, only what a Date can represent: not 23:59:60.
  ajv.addFormat("date-time", isTime);
  return ajv;
};

/** As ajv compiles it: returns whether the data is valid, and keeps the errors. */
interface Check {
  (data: unknown): boolean;
  errors: NonNullable<ValidateFunction["errors"]> | null;
}

export function validate(scope: FastifyInstance): void {
  const [strict, coercing] = [newAjv(false), newAjv(true)];
  const compile: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
    const ajv = httpPart === "body" ? strict : coercing;
    let compiled: ValidateFunction | null = null;
    const check: Check = Object.assign(
      (data: unknown) => {
        compiled ??= ajv.compile(schema);
        const isValid = compiled(data);
        check.errors = compiled.errors ?? null;
        return isValid;
      },
      { errors: null },
    );
    return check;
  };
  scope.setValidatorCompiler(compile);
}
