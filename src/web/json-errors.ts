/**
 * Errors as JSON, for every route that fastify serves: faults with their code and Retry-After, invalid
 * bodies, and defects with a reference.
 */
import type { FastifyError, FastifyInstance, FastifyReply } from "fastify";
import { Fault, type FaultCode, RETRY_AFTER_SECONDS } from "#contract/faults.ts";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { routeOf } from "#http/route-requests.ts";

/** Reports an unexpected error; returns the reference for the caller. */
export type OnDefect = (error: unknown, route: string | null) => string;

export const CACHE_CONTROL = "private, no-store";

export const sendError = (reply: FastifyReply, status: number, code: FaultCode, message: string) =>
  reply.code(status).send({ error: { code, message } });

/** Of errors that fastify finds in a request; all others are InvalidMessage. */
const codes: Readonly<Record<number, FaultCode>> = { 413: "TooLarge", 415: "UnsupportedMediaType" };

export function answerErrorsAsJson(fastify: FastifyInstance, onDefect: OnDefect): void {
  fastify.setErrorHandler((error, request, reply) => {
    reply.header("Cache-Control", CACHE_CONTROL);
    const fault = asFault(error);
    if (fault !== null) {
      if (fault.retryAfterSeconds !== null) reply.header("Retry-After", fault.retryAfterSeconds);
      return sendError(reply, fault.kind.status, fault.code, fault.message);
    }
    const { validation, statusCode = 500, message = "" } = error as Partial<FastifyError>;
    if (validation !== undefined)
      return sendError(reply, 400, "InvalidParameter", `Invalid: ${message}${undeclared(validation)}.`);
    if (statusCode < 500) return sendError(reply, statusCode, codes[statusCode] ?? "InvalidMessage", message);
    const reference = onDefect(error, routeOf(request));
    return sendError(
      reply,
      500,
      "InternalError",
      `Something went wrong on our side. Reference: ${reference}`,
    );
  });
}

const MAX_SHOWN = 100;

/** The name that a schema does not allow: the message does not contain it. */
function undeclared([first]: NonNullable<FastifyError["validation"]>): string {
  const name = first?.params.additionalProperty;
  return typeof name === "string" ? `: "${name.slice(0, MAX_SHOWN)}"` : "";
}

function asFault(error: unknown): Fault | null {
  if (error instanceof Fault) return error;
  if (!(error instanceof StoreUnavailable)) return null;
  return new Fault("Unavailable", "The database does not answer; try again in a few seconds.", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
