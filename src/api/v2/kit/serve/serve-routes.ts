/**
 * Serves the routes: authentication before the body is read, validation, the action, the reply. Knows no
 * route by name. Routes are added one by one, with a turn of the event loop in between, because others are
 * served meanwhile; what is made of a schema is made with the first request of its route.
 */
import { setImmediate } from "node:timers/promises";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Admin, perform } from "#admin/kit/action.ts";
import { AlreadyDone, NotFound } from "#admin/kit/errors.ts";
import { CACHE_CONTROL } from "#api/problems.ts";
import type { AccountId } from "#domain/account.ts";
import { versionOf } from "#domain/version.ts";
import { isCurrent, takesGzip } from "#http/documents.ts";
import { endFlight } from "#http/route-requests.ts";
import { sendChunks } from "#http/send.ts";
import { leaveJob } from "#jobs/foreground.ts";
import { operationId } from "../openapi/operation-id.ts";
import { fastifyPath, paramsSchema, readParams } from "../path.ts";
import { answerProblems, Problem } from "../problems/problems.ts";
import {
  createdPath,
  type Given,
  isCollection,
  isStream,
  type JsonRoute,
  type Route,
  type StreamRoute,
} from "../route.ts";
import { actorOf, checkToken } from "./authenticate.ts";
import { compressed, compressReplies, GZIP, VARY } from "./compression.ts";
import { Cursors } from "./cursors.ts";
import { etagOf, expectedVersions, idempotencyOf } from "./preconditions.ts";
import type { RouteOptions } from "./route-options.ts";
import { NO_QUERY, refuseMembers, validate } from "./validation.ts";

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
  routes: readonly Route[],
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
  route: Route,
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
      const place = { listing: route.action.name, account };
      const given = {
        params,
        query: await cursors.opened(request.query, place),
        body: await cursors.opened(request.body, place),
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
        .code(statusOf(route, answer))
        .type("application/json; charset=utf-8")
        .serializer(reply.compileSerializationSchema(route.reply as Record<string, unknown>))
        .send(isCollection(route) ? await cursors.sealed(answer, place) : answer);
    },
  });
}

const filled = (path: string, params: object, answer: unknown): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const known = { ...(answer as Record<string, unknown>), ...params } as Record<string, unknown>;
    return String(known[name] ?? known[`${name}Id`] ?? known.id);
  });

const statusOf = ({ status }: JsonRoute, answer: unknown): number =>
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
function requestSchema(route: Route): object {
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
  route: StreamRoute,
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
