/** The JSON API and the console, which are loaded with their first request. */

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Admission } from "#admission/admission.ts";
import type { Addresses } from "#asmx/addresses.ts";
import { isConsolePath, meantConsolePath } from "#console/console-path.ts";
import type { Check } from "#health/readiness.ts";
import type { BodyReader } from "#http/body/body.ts";
import type { ClientAddresses } from "#http/client-address.ts";
import { newRouter } from "#http/route-requests.ts";
import { VERSION } from "#shipped.ts";
import { isApiPath } from "#web/api-path.ts";
import type { OnDefect } from "#web/json-errors.ts";
import type { BackgroundWork } from "./background-work.ts";
import { countResponses } from "./calls/instrumentation.ts";
import { importInTurns, lazyRoutes } from "./lazy-routes.ts";
import { logRoutes } from "./log/request-log.ts";
import type { notFoundPages } from "./not-found-pages.ts";
import type { Parts } from "./parts.ts";
import { type UserAuthentication, userChecks } from "./user-authentication.ts";

/** What they share with the rest of the server. */
export interface ServerParts {
  readonly addresses: Addresses;
  readonly background: BackgroundWork;
  readonly users: UserAuthentication;
  readonly admission: Admission;
  readonly bodies: BodyReader;
  readonly clients: ClientAddresses;
  readonly errorReplies: ReturnType<typeof notFoundPages>;
  readonly checks: () => Promise<readonly Check[]>;
  /** Aborted when the service stops. */
  readonly closing: AbortSignal;
  readonly onDefect: OnDefect;
}

/** Each takes a request that is its own, and then returns true. */
export function apiAndConsole({ config, log, store, metrics, clocks }: Parts, server: ServerParts) {
  const {
    addresses,
    background,
    users,
    admission,
    bodies,
    clients,
    errorReplies,
    checks,
    closing,
    onDefect,
  } = server;
  const newPart = (badUrl = errorReplies.badUrl): FastifyInstance => {
    const router = newRouter(bodies, clients, { errorReplies: { ...errorReplies, badUrl } });
    logRoutes(log, router);
    countResponses(metrics, router);
    return router;
  };
  const shared = {
    store,
    ...userChecks(users),
    settings: config.shown,
    mail: background.mail,
    admission,
    clients,
    clock: clocks.wall,
    baseOf: (request: FastifyRequest) => addresses.of(request.raw).expected,
    prefix: addresses.prefix,
    version: VERSION,
    onDefect,
    wakeJobs: () => background.wake(),
  };
  const api = lazyRoutes({
    name: "the JSON API",
    isOwn: isApiPath(addresses.prefix),
    load: async () => {
      await importInTurns("api/v2");
      const { addApi, badUrlReply } = await import("#api/v2/api.ts");
      const router = newPart(badUrlReply(addresses.prefix));
      addApi(router, { ...shared, authenticate: users.tokens.authenticate.bind(users.tokens) });
      await router.ready();
      return (request, response) => router.routing(request, response);
    },
    onLoadFailed: (error) => log.error("the JSON API could not be loaded", {}, error),
  });
  const console = lazyRoutes({
    name: "the console",
    isOwn: isConsolePath(addresses.prefix),
    meant: (path) => meantConsolePath(addresses.prefix, path),
    load: async () => {
      await importInTurns("console");
      const { addConsole } = await import("#console/console.ts");
      const router = newPart();
      const troubles = async () => (await checks()).filter((check) => check.status === "failed");
      addConsole(router, { ...shared, troubles, closing });
      await router.ready();
      return (request, response) => router.routing(request, response);
    },
    onLoadFailed: (error) => log.error("the console could not be loaded", {}, error),
  });
  return { api, console };
}
