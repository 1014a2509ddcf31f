/**
 * Serves the routes: authentication before the body is read, validation, the action, the reply. Knows no
 * route by name. Routes are added one by one, with a turn of the event loop in between, because others are
 * served meanwhile; what is made of a schema is made with the first request of its route.
 */
import { pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Actor, type Admin, perform, requireRole } from "#admin/kit/action.ts";
import { AlreadyDone, NotFound } from "#admin/kit/errors.ts";
import { bearerOf } from "#auth/authenticator.ts";
import type { AccountId } from "#domain/account.ts";
import { versionOf } from "#domain/version.ts";
import { isCurrent, takesGzip } from "#http/cached-documents.ts";
import { endFlight } from "#http/route-requests.ts";
import { sendChunks } from "#http/send.ts";
import { leaveJob } from "#jobs/foreground.ts";
import { Cursors } from "#web/cursors.ts";
import { CACHE_CONTROL } from "#web/json-errors.ts";
import { areIds, fastifyPath, paramsSchema, readParams } from "#web/path.ts";
import { operationId } from "./openapi.ts";
import { etagOf, expectedVersions, idempotencyOf } from "./preconditions.ts";
import { answerProblems, Problem } from "./problems.ts";
import {
  createdPath,
  type Given,
  isCollection,
  isStream,
  type Route,
  type RouteOptions,
  type StreamRoute,
  type TaggedRoute,
} from "./route.ts";
import { NO_QUERY, refuseMembers, validate } from "./validation.ts";

/**
 * Replies of more than 1 KiB are compressed, for clients that take gzip. zlib works in its own threads, so no
 * other request waits.
 *
 * A reply with a secret is never compressed: its length would tell an observer of the encrypted bytes, and
 * chooses a part of the text, how much that part is like the secret (BREACH). The console has cookies and
 * tokens of forms in its pages, so it does not use this.
 */
const MAX_UNCOMPRESSED = 1024;
const compress = promisify<string | Buffer, Buffer>(gzip);

const GZIP = { "Content-Encoding": "gzip" } as const;
/** The reply depends on this header of the request, for caches. */
const VARY = { Vary: "Accept-Encoding" } as const;

function compressReplies(scope: FastifyInstance): void {
  scope.addHook("onSend", async (request, reply, payload) => {
    const { route } = request.routeOptions.config;
    if (route !== undefined && !isStream(route) && route.hasSecret === true) return payload;
    reply.headers(VARY);
    if (typeof payload !== "string" || !takesGzip(request.headers["accept-encoding"])) return payload;
    if (Buffer.byteLength(payload) <= MAX_UNCOMPRESSED) return payload;
    const etag = reply.getHeader("ETag");
    // Other bytes of the same version.
    if (typeof etag === "string") reply.header("ETag", `W/${etag}`);
    reply.headers(GZIP);
    return await compress(payload);
  });
}

/** An error or an early end of one side ends the other. */
const compressed = (chunks: AsyncIterable<string | Uint8Array>): AsyncIterable<Uint8Array> =>
  pipeline(Readable.from(chunks), createGzip(), () => {});

/** Who sends a request: the user of its token or, in a log-in, the user whose password is in its body. */
declare module "fastify" {
  interface FastifyRequest {
    actor: Actor | null;
    /** Whether the whole body had arrived when the token was checked. */
    wasComplete: boolean;
  }
}

/** Before the body is read: a client without a token of the needed role cannot make the service read one. */
async function checkToken(request: FastifyRequest, route: Route, options: RouteOptions) {
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
async function actorOf(request: FastifyRequest, route: Route, options: RouteOptions): Promise<Actor> {
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
        "The e-mail address, the password or the code is wrong, or the user cannot log in. Check them, and try again. After ten wrong codes, every code of the user is refused for a quarter of an hour.",
      );
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route of the API. */
    readonly route?: Route;
  }
}

/** `base` is the path of the API. */
export async function serveRoutes(
  scope: FastifyInstance,
  base: string,
  routes: readonly TaggedRoute[],
  options: RouteOptions,
): Promise<void> {
  validate(scope);
  answerProblems(scope, base, options.onDefect);
  compressReplies(scope);
  scope.decorateRequest("actor", null);
  scope.decorateRequest("wasComplete", false);
  scope.addHook("onRequest", async (_request, reply) => {
    reply.header("Cache-Control", CACHE_CONTROL);
  });
  const cursors = new Cursors(options.store.secrets);
  for (const route of routes) {
    serveRoute(scope, base, route, options, cursors, createdPath(route, routes));
    await setImmediate();
  }
  await refuseMethods(scope, routes);
  scope.all("/*", { schema: { hide: true } }, (request) => {
    throw new Problem("not-found", `There is nothing at ${pathOf(request)}.`);
  });
}

function serveRoute(
  scope: FastifyInstance,
  base: string,
  route: TaggedRoute,
  options: RouteOptions,
  cursors: Cursors,
  created: string | null,
): void {
  const { clock, passwordCheck, codeCheck, settings, mail } = options;
  const store = options.store.forOperators;
  const continueJob = leaveJob(options.store.jobs, options.wakeJobs);
  const { method, path, bodyLimit } = route;
  const refusesBody = route.body === undefined && route.takesBytes !== true;
  scope.route({
    method,
    url: fastifyPath(path),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(isStream(route) ? { exposeHeadRoute: false } : {}),
    schema: requestSchema(route),
    config: {
      route,
      // fastify would compile it now: all of them take longer than everything else here.
      swaggerTransform: ({ schema, url }) => ({
        schema: { ...schema, response: responseSchema(route) },
        url,
      }),
      ...(route.takesBytes === true ? { takesBytes: true } : {}),
      refusesBody,
      before: (request) => checkToken(request, route, options),
    },
    handler: async (request, reply) => {
      if (refusesBody) refuseMembers(request.flight?.value);
      const params = readParams(path, request.params as Record<string, string>);
      const actor = await actorOf(request, route, options);
      const { account = null } = params as { readonly account?: AccountId };
      const repeatable = idempotencyOf(request, actor, clock(), route);
      const idempotent = repeatable === null ? null : store.idempotent(repeatable);
      const ifVersion = expectedVersions(request, route);
      const admin: Admin = {
        store: idempotent ?? store,
        actor,
        clock,
        ifVersion,
        continueJob,
        rewritesLater: true,
        ...(passwordCheck === undefined ? {} : { passwordCheck }),
        ...(codeCheck === undefined ? {} : { codeCheck }),
        ...(settings === undefined ? {} : { settings }),
        ...(mail === undefined ? {} : { mail }),
      };
      const scope = { listing: route.action.name, account };
      const given = {
        params,
        query: await cursors.decrypted(request.query, scope),
        body: await cursors.decrypted(request.body, scope),
        now: clock(),
        base,
      } as Given<string, never, never>;
      await requireAccount(admin, account);
      const result = await perform(admin, route.action, route.args(given));
      if (isStream(route)) return await stream(request, reply, route, result, given, account, options);
      const answer: unknown = route.status === 204 ? undefined : route.answer(result, given);
      if (route.hasSecret === true && idempotent?.isRepeat === true) throw alreadyDone(answer);
      const versioned = route.versioned === undefined ? result : route.versioned(result, given);
      if (route.thing !== undefined && versioned !== null) {
        const etag = etagOf(versionOf(route.thing, versioned as never), answer);
        reply.header("ETag", etag);
        if (method === "GET" && isCurrent(request.headers["if-none-match"], etag))
          return await reply.code(304).send();
      }
      if (created !== null) reply.header("Location", `${base}${filled(created, params, answer)}`);
      if (answer === undefined || route.reply === undefined) return await reply.code(route.status).send();
      return await reply
        .code(statusOf(route.status, answer))
        .type("application/json; charset=utf-8")
        .serializer(reply.compileSerializationSchema(route.reply as Record<string, unknown>))
        .send(isCollection(route) ? await cursors.encrypted(answer, scope) : answer);
    },
  });
}

const filled = (path: string, params: object, answer: unknown): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const known = { ...(answer as Record<string, unknown>), ...params } as Record<string, unknown>;
    return String(known[name] ?? known[`${name}Id`] ?? known.id);
  });

const statusOf = (status: number, answer: unknown): number =>
  status === 202 && (answer as { readonly job: unknown }).job === null ? 200 : status;

/** A secret is not stored, so the reply cannot be repeated. */
function alreadyDone(answer: unknown): Problem {
  const { id = null } = answer as { readonly id?: string };
  return new Problem(
    "already-done",
    "The request was already executed. Only the first reply contained the secret.",
    {
      more: { id },
    },
  );
}

const anyBytes = {
  content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
};

/** The document has media types without parameters. */
const mediaType = ({ contentType }: StreamRoute): string => contentType.split(";")[0] ?? contentType;

/** What the OpenAPI document describes. */
const responseSchema = (route: Route): object =>
  isStream(route)
    ? { 200: { description: "The file.", content: { [mediaType(route)]: { schema: { type: "string" } } } } }
    : {
        ...(route.status === 202 ? { 200: route.reply } : {}),
        [route.status]: route.reply ?? { description: "Done.", type: "null" },
      };

/** What fastify validates by, and what the OpenAPI document describes. */
function requestSchema(route: TaggedRoute): object {
  const { path, tag, summary, description, query, body } = route;
  return {
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    operationId: operationId(route),
    params: paramsSchema(path),
    querystring: query === undefined ? NO_QUERY : { ...query, additionalProperties: false },
    ...(route.takesBytes === true ? { body: anyBytes } : body === undefined ? {} : { body }),
    ...(route.logsIn === undefined ? {} : { security: [] }),
  };
}

async function stream(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Extract<Route, StreamRoute>,
  result: unknown,
  given: Given<string, never, never>,
  account: AccountId | null,
  { admission, onDefect }: RouteOptions,
): Promise<FastifyReply> {
  const { fileName, chunks } = route.stream(result, given);
  const slot = admission.takeListSlot(account);
  reply.hijack();
  endFlight(request);
  const isCompressed = takesGzip(request.headers["accept-encoding"]);
  const headers = {
    "Content-Type": route.contentType,
    "Content-Disposition": `attachment; filename="${fileName}"`,
    "Cache-Control": CACHE_CONTROL,
    ...VARY,
    ...(isCompressed ? GZIP : {}),
  };
  try {
    await sendChunks(reply.raw, 200, headers, isCompressed ? compressed(chunks) : chunks, slot);
  } catch (error) {
    onDefect(error, route.path);
  } finally {
    slot.release();
  }
  return reply;
}

/** fastify answers HEAD where there is a GET, but not for a stream. */
const takenBy = (route: Route): readonly string[] =>
  route.method === "GET" && !isStream(route) ? ["GET", "HEAD"] : [route.method];

const pathOf = ({ url }: FastifyRequest): string => url.split("?")[0] ?? url;

/** A known path with a method that it does not take. */
async function refuseMethods(scope: FastifyInstance, routes: readonly Route[]): Promise<void> {
  for (const path of new Set(routes.map((route) => route.path))) {
    const here = routes.filter((route) => route.path === path);
    const taken = new Set(here.flatMap(takenBy));
    const allow = [...taken].join(", ");
    const url = fastifyPath(path);
    // With a slash at its end, a collection would be taken for an item without an id.
    scope.route({
      method: [...taken],
      url: `${url}/`,
      exposeHeadRoute: false,
      schema: { hide: true },
      handler: (request) => {
        throw new Problem("not-found", `There is nothing at ${pathOf(request)}: leave out the last slash.`);
      },
    });
    const refuse = {
      method: scope.supportedMethods.filter((method) => !taken.has(method)),
      schema: { hide: true },
      handler: (request: FastifyRequest) => {
        throw new Problem(
          "method-not-allowed",
          `This path does not support ${request.method}; use ${allow}.`,
          {
            headers: { Allow: allow },
          },
        );
      },
    };
    for (const one of [url, `${url}/`]) scope.route({ ...refuse, url: one });
    await setImmediate();
  }
}

/** An administrator has a role in every account, even in one that does not exist, whatever the token's is. */
async function requireAccount({ store, actor }: Admin, id: AccountId | null): Promise<void> {
  if (id === null || actor.roleIn(id) === null || (await store.accounts.byId({ id })) !== null) return;
  throw (await store.wasExecuted()) ? new AlreadyDone() : new NotFound("account", id);
}
