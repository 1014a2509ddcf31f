/**
 * Answers at the port of the service while its database is migrated, which can take minutes: the process is
 * healthy, it is not ready, and every caller is asked to come back. Without it, a supervisor would see a port
 * that is closed, and restart the service again and again.
 */
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { failed } from "#health/readiness.ts";
import type { Log } from "./log/log.ts";
import type { Config } from "./settings/config.ts";
import type { ServedCertificate } from "./tls.ts";

const RETRY_SECONDS = 10;
const MIGRATING = failed(
  "schema",
  "the database is being migrated to the schema of this version",
  "Wait: the service becomes ready by itself. The log says how far it is.",
);

/** Returns a function that frees the port. With port 0 the system chooses, and nobody knows the port. */
export function startMigrationNotice(
  { host, port }: Pick<Config, "host" | "port">,
  certificate: ServedCertificate | null,
  log: Log,
): () => Promise<void> {
  if (port === 0) return async () => {};
  const server = certificate === null ? createServer() : createTlsServer(certificate.pair);
  server.on("request", ({ url = "" }, response) => {
    const [path] = url.split("?", 1);
    const isHealth = path === "/healthz";
    response.writeHead(isHealth ? 200 : 503, {
      "Content-Type": "application/json; charset=utf-8",
      "Cache-Control": "no-store",
      Connection: "close",
      ...(isHealth ? {} : { "Retry-After": String(RETRY_SECONDS) }),
    });
    response.end(
      JSON.stringify(isHealth ? { status: "ok" } : { status: "unavailable", checks: [MIGRATING] }),
    );
  });
  // The service says it better when it listens itself.
  server.on("error", (error) => log.warn("no answers during the migration", {}, error));
  server.listen(port, host);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}
