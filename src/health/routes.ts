/** The health checks over HTTP. They are answered under overload too: admission control exempts them. */
import type { FastifyInstance } from "fastify";
import type { Check } from "./readiness.ts";

const PROBE = { config: { isProbe: true } } as const;

/** /healthz is about the process only: an unreachable database is no reason to restart it. */
export function addHealthRoutes(fastify: FastifyInstance, checks: () => Promise<readonly Check[]>): void {
  fastify.get("/healthz", PROBE, (_request, reply) => reply.send({ status: "ok" }));
  fastify.get("/readyz", PROBE, async (_request, reply) => {
    const made = await checks();
    const isReady = made.every(({ status }) => status === "ok");
    reply.header("Cache-Control", "no-store").code(isReady ? 200 : 503);
    return reply.send({ status: isReady ? "ok" : "unavailable", checks: made });
  });
}
