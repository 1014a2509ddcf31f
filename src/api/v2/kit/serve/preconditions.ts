/** What a client says about its request beside the body: `Idempotency-Key` and `If-Match`. */
import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Actor } from "../../../../domain/access/actor.ts";
import { userOf } from "../../../../domain/access/origin.ts";
import {
  type IdempotentRequest,
  isIdempotencyKey,
  MAX_IDEMPOTENCY_KEY_LENGTH,
} from "../../../../domain/idempotency.ts";
import { Problem } from "../problems/problems.ts";
import { isStream, type Route } from "../route.ts";

export const IDEMPOTENCY_HEADER = "Idempotency-Key";

const wrongHeader = (header: string, detail: string): Problem =>
  new Problem("invalid-request", `${header}: ${detail}.`, { errors: [{ header, detail }] });

/** Whether it takes one with any body. */
export const takesIdempotencyKey = ({ method, takesPassword }: Route): boolean =>
  method === "POST" && takesPassword !== true;

/** Whether it changes something that has a version. */
export const takesIfMatch = (route: Route): boolean =>
  route.method !== "GET" && !isStream(route) && route.thing !== undefined;

/** null: the request has no key, or is none that needs one. */
export function idempotencyOf(
  request: FastifyRequest,
  actor: Actor,
  at: number,
  route: Route,
): IdempotentRequest | null {
  const key = request.headers["idempotency-key"];
  const owner = userOf(actor.origin);
  if (key === undefined || route.method !== "POST" || owner === null) return null;
  const { takesPassword } = route;
  // The fingerprint of the body is stored with the key, and a password could be found from it.
  if (takesPassword === true || takesPassword?.(request.body as never) === true)
    throw wrongHeader(
      IDEMPOTENCY_HEADER,
      "must not be sent with a request that contains a password; leave it out",
    );
  if (typeof key !== "string" || !isIdempotencyKey(key))
    throw wrongHeader(
      IDEMPOTENCY_HEADER,
      `must have 1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} printable ASCII characters`,
    );
  const { body } = request;
  const fingerprint = createHash("sha256")
    .update(`${request.method} ${request.url}\0`)
    .update(Buffer.isBuffer(body) ? body : JSON.stringify(body ?? null))
    .digest();
  return { owner, key, fingerprint, at };
}

/** The version that a change expects; undefined: any. */
export function expectedVersion(request: FastifyRequest, route: Route): string | undefined {
  const given = request.headers["if-match"];
  if (given === undefined || given === "*" || route.method === "GET") return undefined;
  if (!takesIfMatch(route))
    throw wrongHeader("If-Match", "is not supported by this path and method; leave it out");
  const tag = /^"([\w-]+)"$/.exec(given)?.[1];
  if (tag === undefined)
    throw wrongHeader("If-Match", "must be one ETag of an earlier reply, with its quotation marks");
  return tag;
}
