/** The JSON API: field definitions with a bearer key, their schema, and the health checks. */
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Fault, tooManyLists } from "../contract/faults.ts";
import type { AccountId } from "../domain/account.ts";
import type { ApiKey } from "../domain/key.ts";
import { startPages } from "../domain/pages.ts";
import { StoreUnavailable } from "../domain/ports/errors.ts";
import type { Store } from "../domain/ports/store.ts";
import type { Check } from "../health/readiness.ts";
import { COLLECTION_PATH, fieldCollection, fieldCollectionSchema, SCHEMA_PATH } from "./fields.ts";

export type SendList = (
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
  chunks: AsyncIterable<string>,
) => Promise<void>;

export interface ApiOptions {
  readonly store: Store;
  /** May throw Throttled. */
  readonly findKey: (given: string | null, request: FastifyRequest) => Promise<ApiKey | null>;
  /** Takes a place for a long list, and returns the function that sends it; null if no place is free. */
  readonly startList: (account: AccountId) => SendList | null;
  readonly baseOf: (request: FastifyRequest) => string;
  readonly prefix: string;
  readonly checks: () => Promise<readonly Check[]>;
  /** Reports an unexpected error; returns the reference for the caller. */
  readonly onDefect: (error: unknown, route: string | null) => string;
}

const JSON_TYPE = "application/json; charset=utf-8";
const CACHE_CONTROL = "private, no-store";

const problem = (reply: FastifyReply, status: number, code: string, message: string) =>
  reply.code(status).send({ error: { code, message } });

export function addApiRoutes(fastify: FastifyInstance, options: ApiOptions): void {
  for (const prefix of new Set(["", options.prefix])) addRoutes(fastify, prefix, options);
  addHealthRoutes(fastify, options);
  answerErrors(fastify, options);
}

function addRoutes(
  fastify: FastifyInstance,
  prefix: string,
  { store, findKey, startList, baseOf, onDefect }: ApiOptions,
): void {
  fastify.get(`${prefix}${SCHEMA_PATH}`, (request, reply) =>
    reply.type("application/schema+json").send(JSON.stringify(fieldCollectionSchema(baseOf(request)))),
  );
  fastify.get(`${prefix}${COLLECTION_PATH}`, async (request, reply) => {
    reply.header("Cache-Control", CACHE_CONTROL);
    try {
      const given = /^Bearer\s+(\S+)\s*$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;
      const key = await findKey(given, request);
      if (key === null) {
        reply.header("WWW-Authenticate", "Bearer");
        return problem(reply, 401, "InvalidApiKey", "Send a valid API key as Authorization: Bearer <key>.");
      }
      const pages = await startPages(store.fields.all.pages({ account: key.account }));
      const chunks = fieldCollection(baseOf(request), pages);
      if (!pages.isLong) return await reply.type(JSON_TYPE).send((await Array.fromAsync(chunks)).join(""));
      const send = startList(key.account);
      if (send === null) {
        await pages.return();
        throw tooManyLists;
      }
      reply.hijack();
      const headers = { "Content-Type": JSON_TYPE, "Cache-Control": CACHE_CONTROL };
      await send(reply.raw, headers, chunks).catch((error: unknown) => onDefect(error, COLLECTION_PATH));
      return reply;
    } catch (error) {
      if (error instanceof Fault && error.code === "Throttled") {
        reply.header("Retry-After", String(error.retryAfterSeconds));
        return problem(reply, error.kind.status, error.code, error.message);
      }
      if (!(error instanceof StoreUnavailable)) throw error;
      reply.header("Retry-After", "5");
      return problem(reply, 503, "Unavailable", "The database does not answer; try again in a few seconds.");
    }
  });
}

/** /healthz is about the process only: an unreachable database is no reason to restart it. */
function addHealthRoutes(fastify: FastifyInstance, { checks }: ApiOptions): void {
  fastify.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));
  fastify.get("/readyz", async (_request, reply) => {
    const made = await checks();
    const isReady = made.every(({ status }) => status === "ok");
    reply.header("Cache-Control", "no-store").code(isReady ? 200 : 503);
    return reply.send({ status: isReady ? "ok" : "unavailable", checks: made });
  });
}

function answerErrors(fastify: FastifyInstance, { onDefect }: ApiOptions): void {
  fastify.setErrorHandler((error, request, reply) => {
    const reference = onDefect(error, request.routeOptions.url ?? null);
    const message = `Something went wrong on our side. Reference: ${reference}`;
    return problem(reply, 500, "InternalError", message);
  });
}
