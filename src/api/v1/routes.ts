/** The JSON API: field definitions with a bearer key, and their schema. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Admission } from "#admission/admission.ts";
import type { ListSlot } from "#admission/list-slots.ts";
import type { Authenticator } from "#auth/authenticator.ts";
import { bearerOf } from "#auth/authenticator.ts";
import { startPages } from "#domain/paging.ts";
import type { Store } from "#domain/ports/store.ts";
import type { ClientAddresses } from "#http/client-address.ts";
import { endFlight } from "#http/route-requests.ts";
import { sendChunks } from "#http/send.ts";
import { answerErrorsAsJson, CACHE_CONTROL, type OnDefect, sendError } from "#web/json-errors.ts";
import { COLLECTION_PATH, fieldCollection, fieldCollectionSchema, SCHEMA_PATH } from "./fields.ts";

export interface ApiOptions {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly admission: Admission;
  readonly clients: ClientAddresses;
  readonly baseOf: (request: FastifyRequest) => string;
  readonly prefix: string;
  readonly onDefect: OnDefect;
}

const JSON_TYPE = "application/json; charset=utf-8";

export function addApiRoutes(fastify: FastifyInstance, options: ApiOptions): void {
  for (const prefix of new Set(["", options.prefix])) addRoutes(fastify, prefix, options);
  answerErrorsAsJson(fastify, options.onDefect);
}

function addRoutes(
  fastify: FastifyInstance,
  prefix: string,
  { store, authenticator, admission, clients, baseOf, onDefect }: ApiOptions,
): void {
  fastify.get(`${prefix}${SCHEMA_PATH}`, (request, reply) =>
    reply.type("application/schema+json").send(JSON.stringify(fieldCollectionSchema(baseOf(request)))),
  );
  fastify.get(`${prefix}${COLLECTION_PATH}`, async (request, reply) => {
    reply.header("Cache-Control", CACHE_CONTROL);
    const caller = { client: clients.of(request.raw), account: null, key: null };
    const key = await authenticator.authenticate(bearerOf(request.headers.authorization), caller);
    if (key === null) {
      reply.header("WWW-Authenticate", "Bearer");
      return sendError(reply, 401, "InvalidApiKey", "Send a valid API key as Authorization: Bearer <key>.");
    }
    const { raw } = reply;
    raw.once("close", () =>
      authenticator.calls.count(
        key.id,
        request.headers["user-agent"],
        raw.statusCode < 400 ? "done" : "fault",
      ),
    );
    const pages = await startPages(store.fields.all.pages({ account: key.account }));
    const chunks = fieldCollection(baseOf(request), pages);
    if (!pages.isLong) return await reply.type(JSON_TYPE).send((await Array.fromAsync(chunks)).join(""));
    let slot: ListSlot;
    try {
      slot = admission.takeListSlot(key.account);
    } catch (error) {
      await pages.return();
      throw error;
    }
    reply.hijack();
    endFlight(request);
    const headers = { "Content-Type": JSON_TYPE, "Cache-Control": CACHE_CONTROL };
    try {
      await sendChunks(reply.raw, 200, headers, chunks, slot);
    } catch (error) {
      onDefect(error, COLLECTION_PATH);
    } finally {
      slot.release();
    }
    return reply;
  });
}
