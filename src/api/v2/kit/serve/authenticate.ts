/** Who sends a request: the user of its token or, in a log-in, the user whose password is in its body. */
import type { FastifyRequest } from "fastify";
import { type Actor, requireRole } from "#admin/kit/action.ts";
import { bearerOf } from "#auth/bearer.ts";
import { areIds } from "../path.ts";
import { Problem } from "../problems/problems.ts";
import type { Given, Route } from "../route.ts";
import type { RouteOptions } from "./route-options.ts";

declare module "fastify" {
  interface FastifyRequest {
    actor: Actor | null;
    /** Whether the whole body had arrived when the token was checked. */
    wasComplete: boolean;
  }
}

/** Before the body is read: nobody without a token of the needed role makes the service read one. */
export async function checkToken(request: FastifyRequest, route: Route, options: RouteOptions) {
  if (route.logsIn !== undefined) return;
  const actor = await tokenUser(request, options);
  const { account } = request.params as { readonly account?: string };
  // The path is not validated yet. `perform` checks the role again, by the arguments of the action.
  if (areIds(route.path, request.params as Record<string, string>))
    requireRole(actor, route.action, account === undefined ? null : Number(account));
  request.actor = actor;
  request.wasComplete = request.raw.complete;
}

/**
 * When the body is complete. It may have taken a minute, in which the token was revoked or its user got a
 * lesser role: then the token is checked again.
 */
export async function actorOf(request: FastifyRequest, route: Route, options: RouteOptions): Promise<Actor> {
  if (request.actor === null) return await loggedIn(request, route, options);
  return request.wasComplete ? request.actor : await tokenUser(request, options);
}

async function tokenUser(
  { headers: { authorization }, raw }: FastifyRequest,
  { authenticate, clients }: RouteOptions,
): Promise<Actor> {
  const actor = await authenticate(authorization, clients.of(raw));
  if (actor === null) throw unauthorized(authorization);
  return actor;
}

/** Does not say why a token is not valid: the client may have found or guessed it. */
const unauthorized = (authorization: string | undefined): Problem =>
  new Problem(
    "unauthorized",
    bearerOf(authorization) === null
      ? "Send a valid token in the header Authorization: Bearer <token>."
      : "The token is unknown, expired or revoked, or its user is disabled. An API key is not a token.",
    { headers: { "WWW-Authenticate": "Bearer" } },
  );

/** The user whose password is in the body. */
async function loggedIn(
  request: FastifyRequest,
  { logsIn }: Route,
  { logIn, clients }: RouteOptions,
): Promise<Actor> {
  if (logsIn === undefined || logIn === undefined) throw new Error("the request was not authenticated");
  const given = { params: {}, query: request.query, body: request.body } as Given<string, never, never>;
  const result = await logIn(logsIn(given), clients.of(request.raw));
  if (result.kind === "user") return result.actor;
  throw result.kind === "code needed"
    ? new Problem(
        "code-needed",
        "Repeat the request with a code of the authenticator app, or a recovery code.",
      )
    : new Problem(
        "log-in-failed",
        "The e-mail address, the password or the code is wrong, or the user cannot log in. Check them, and try again.",
      );
}
