/**
 * What a client says about its request beside the body: `Idempotency-Key`, `If-Match` and `If-None-Match`.
 *
 * An ETag has the version of the thing, which is what a change is compared with, and a hash of the reply:
 * that may differ although the thing was not changed, by a counter. It is weak in a compressed reply, and
 * behind a proxy that compresses. So weak ones are compared like others: the version is the same.
 */
import { createHash, hash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Actor } from "#domain/access/actor.ts";
import { userOf } from "#domain/access/origin.ts";
import { type IdempotentRequest, isIdempotencyKey, MAX_IDEMPOTENCY_KEY_LENGTH } from "#domain/idempotency.ts";
import { Problem } from "./problems.ts";
import { isStream, type Route } from "./route.ts";

export const IDEMPOTENCY_HEADER = "Idempotency-Key";

const wrongHeader = (header: string, detail: string): Problem =>
  new Problem("invalid-request", `${header}: ${detail}.`, { errors: [{ header, detail }] });

/** Whether it takes one with any body. */
export const takesIdempotencyKey = ({ method, takesPassword }: Route): boolean =>
  method === "POST" && takesPassword !== true;

/** Whether it changes something that has a version. What it creates has none before. */
export const takesIfMatch = (route: Route): boolean =>
  route.method !== "GET" && !isStream(route) && route.status !== 201 && route.thing !== undefined;

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

export const etagOf = (version: string, answer: unknown): string =>
  `"${version}.${hash("sha256", JSON.stringify(answer), "base64url").slice(0, HASH_LENGTH)}"`;
const HASH_LENGTH = 16;

/** The tags of a header, without quotation marks; null: it is not a list of tags. */
function tagsIn(given: string): readonly string[] | null {
  const tags = given.split(",").map((tag) => /^(?:W\/)?"([\w.-]*)"$/.exec(tag.trim())?.[1]);
  return tags.every((tag) => tag !== undefined) ? tags : null;
}

/** The versions of which a change expects one; undefined: any. */
export function expectedVersions(request: FastifyRequest, route: Route): readonly string[] | undefined {
  const given = request.headers["if-match"];
  if (given === undefined || given === "*" || route.method === "GET") return undefined;
  if (!takesIfMatch(route))
    throw wrongHeader("If-Match", "is not supported by this path and method; leave it out");
  const tags = tagsIn(given);
  if (tags === null)
    throw wrongHeader("If-Match", "must be ETags of earlier replies, with their quotation marks");
  return tags.map((tag) => tag.split(".")[0] ?? tag);
}
