/** fastify with what every routed request gets: a limited body, admission control, and a header. */
import Fastify, { type FastifyInstance, type FastifyServerOptions } from "fastify";
import { type BodyReader, closeAfterResponse } from "./body/body.ts";
import { ClientAddresses } from "./client-address.ts";
import { type LostReplies, plainReplies } from "./lost.ts";
import { admitRoutes, ROUTE_BODY_LIMIT } from "./route-requests.ts";
import { sendWhole } from "./send.ts";

export const NO_SNIFFING = ["X-Content-Type-Options", "nosniff"] as const;

/** Without `serverFactory` it does not listen: its `routing` is called with requests, when it is ready. */
export function newRouter(
  bodies: BodyReader,
  clients: ClientAddresses = new ClientAddresses([]),
  {
    lost = plainReplies,
    ...options
  }: Pick<FastifyServerOptions, "serverFactory" | "clientErrorHandler"> & {
    readonly lost?: LostReplies;
  } = {},
): FastifyInstance {
  const fastify = Fastify({
    ...options,
    forceCloseConnections: "idle",
    bodyLimit: ROUTE_BODY_LIMIT,
    // Routes are added in turns with the work of a server that may be busy.
    pluginTimeout: 0,
    // JSON has types: fastify would turn null into an empty text, and drop what a schema does not allow.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
    // If the URL cannot be parsed, fastify runs no hooks.
    frameworkErrors: (_error, request, { raw }) =>
      void bodies.discard(request.raw).then(() => {
        closeAfterResponse(raw, request.raw);
        const { headers, text } = lost.badUrl(request.raw);
        sendWhole(raw, 400, { ...headers }, text);
      }),
  });
  fastify.addHook("onSend", async (_request, reply) => {
    reply.header(...NO_SNIFFING);
  });
  admitRoutes(fastify, bodies, clients, lost);
  return fastify;
}
