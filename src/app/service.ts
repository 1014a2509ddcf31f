/**
 * The running service: it is assembled from the settings and the open database, started and stopped. Loaded
 * while the database is opened (app.ts).
 */
import cluster from "node:cluster";
import { Addresses } from "#asmx/addresses.ts";
import { curlCommand } from "#asmx/samples.ts";
import type { Authenticator } from "#auth/authenticator.ts";
import { createSignInLink } from "#auth/users/sign-in-links.ts";
import { CONSOLE_PATH, consoleLink } from "#console/console-path.ts";
import { contract } from "#contract/operations.ts";
import { isShort, newKey, SHORT_KEY_WARNING, storedForm } from "#domain/access/key.ts";
import type { Store } from "#domain/ports/store.ts";
import { asTyped, VERSION } from "#shipped.ts";
import { createBackgroundWork } from "./background-work.ts";
import { removeMigrationCopies } from "./database.ts";
import type { Demo } from "./demo.ts";
import type { Log } from "./log/log.ts";
import { isMonitored, type MetricsPort, serveMetrics } from "./monitoring.ts";
import type { Parts } from "./parts.ts";
import { createServer } from "./server.ts";
import { variableOf } from "./settings/config.ts";
import { startCertificateReload } from "./tls.ts";
import type { UserAuthentication } from "./user-authentication.ts";

// The first start: creates an account, a key and a list, so that the service can be called at once.

/** What was created. */
export interface FirstStart {
  /** Shown only now and stored nowhere; null where the operator configured it. */
  readonly key: string | null;
  readonly isShortKey: boolean;
  readonly list: number;
  readonly listName: string;
  /** A curl command that makes a call with them. */
  readonly curl: string;
  /** Creates the first administrator of the console, or signs in to a demo; works once, and not for long. */
  readonly consoleLink: string;
}

export interface FirstStartOptions {
  /** The configured key; null: a new one is generated. */
  readonly apiKey: string | null;
  /** The shell variable that the printed command takes the key from, where the key itself is not printed. */
  readonly keyVariable: string;
  /** The base URL of the service. */
  readonly base: string;
  readonly at: number;
  /** What the installation is filled with, if it becomes a demo. */
  readonly demo?: Demo | null;
}

/** null where an account exists already. */
export async function makeFirstAccount(
  store: Store,
  { apiKey, keyVariable, base, at, demo = null }: FirstStartOptions,
): Promise<FirstStart | null> {
  await demo?.removeUnfinished(store, at);
  // Read before writing, so that the service also starts while another process holds the write lock.
  if (await store.accounts.exist()) return null;
  const key = apiKey ?? newKey();
  const stored = storedForm(key);
  const listName = "Newsletter";
  const made = await store.accounts.firstStart({
    account: demo?.account ?? "Default",
    list: listName,
    key: {
      ...stored,
      label: "first",
      scope: "full",
      expiresAt: null,
      at: at - (demo?.ageMs ?? 0),
    },
    // Before there is anything to send.
    demo: demo?.program(store, at, true),
  });
  if (made === null) return null;
  const user = demo === null ? null : await demo.fill(store, made, at);
  const values = { APIKey: key, SubscribersListID: String(made.list), EMail: "ada@example.org" };
  const variables: Readonly<Record<string, string>> = apiKey === null ? {} : { APIKey: keyVariable };
  return {
    key: apiKey === null ? key : null,
    isShortKey: isShort(stored),
    list: made.list,
    listName,
    consoleLink: consoleLink(base, (await createSignInLink(store, user, at)).secret),
    curl: curlCommand(contract, base, "Subscriber.Add", values, variables),
  };
}

/**
 * Periodic maintenance of this process's own memory. A failure is logged, and the task runs again at its next
 * interval. What concerns the database is a job (`jobs.ts`): one process does it for all.
 */
const FLUSH_MS = 5000;
const SWEEP_MS = 1000;

export interface MaintenanceOptions {
  readonly authenticator: Authenticator;
  readonly users: Pick<UserAuthentication, "tokens" | "sessions">;
  readonly log: Log;
}
export interface Maintenance {
  /** To be called before the store is closed: writes what is still pending. */
  stop(): Promise<void>;
}

export function startMaintenance({ authenticator, users, log }: MaintenanceOptions): Maintenance {
  const flush = () =>
    Promise.all([
      authenticator.usage.flush().catch((error) => log.warn("write of key usage failed", {}, error)),
      authenticator.calls.flush().catch((error) => log.warn("write of call counts failed", {}, error)),
      users.tokens.usage.flush().catch((error) => log.warn("write of token usage failed", {}, error)),
      users.sessions.usage.flush().catch((error) => log.warn("write of session usage failed", {}, error)),
    ]);
  const timers = [
    setInterval(() => void flush(), FLUSH_MS),
    setInterval(() => authenticator.sweep(), SWEEP_MS),
  ];
  return {
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      await flush();
    },
  };
}

/** How long the copy that was made before a migration is kept after the first good start. */
const COPY_DAYS = 7;
const DAY_MS = 86_400_000;
const UPKEEP_MS = 600_000;

/**
 * Stores which version serves this database, and where, and removes the copy that was made before a migration
 * when it is old enough. Neither is a reason not to serve, so both are tried again. Returns a function that
 * stops it.
 */
function startUpkeep({ store, config, log, clocks, isDemo }: Parts, address: string): () => Promise<void> {
  const { schemaVersion } = store;
  const upkeep = async (): Promise<void> => {
    try {
      const stored = await store.health.program();
      const isSame = stored?.version === VERSION && stored.schemaVersion === schemaVersion;
      // Usually a start writes nothing.
      const { since } =
        isSame && stored.address === address
          ? stored
          : await store.health.startProgram({
              ...{ version: VERSION, schemaVersion, address, isDemo, isFilling: false },
              since: isSame ? stored.since : clocks.wall(),
            });
      if (clocks.wall() - since < COPY_DAYS * DAY_MS) return;
      for (const file of await removeMigrationCopies(config.database))
        log.info("removed the copy that was made before a migration", { file });
    } catch (error) {
      log.warn(
        "version and address not recorded, or the copy before a migration not removed",
        {},
        error as Error,
      );
    }
  };
  let running = upkeep();
  const timer = setInterval(() => {
    running = running.then(upkeep);
  }, UPKEEP_MS);
  return () => {
    clearInterval(timer);
    return running;
  };
}

const DRAIN_MS = 10_000;

export interface Running {
  readonly endpoint: string;
  readonly port: number;
  /** The port that serves only /metrics. */
  readonly metricsPort: number | null;
  /** For a host program, such as a test, that prepares data. */
  readonly store: Store;
  readonly firstStart: FirstStart | null;
  /** Where the console is. */
  readonly consoleAddress: string;
  /** Where a demo writes its messages, and who looks at it; null: this is no demo. */
  readonly demo: { readonly outbox: string; readonly user: string } | null;
  close(): Promise<void>;
}

export async function serveStore(parts: Parts, makesDemo = false): Promise<Running> {
  const { config, log, store, metrics, certificate, isDemo } = parts;
  const clock = parts.clocks.wall;
  const demo = isDemo ? (await import("./demo.ts")).demo : null;
  const addresses = new Addresses({ ...config, scheme: certificate === null ? "http" : "https" });
  const background = createBackgroundWork(parts, () => addresses.local);
  const { server, authenticator, users, collector, scrape, wsdlWatch, closing } = createServer(
    parts,
    addresses,
    background,
  );
  await Promise.all([authenticator.loadRecentKeys(), users.tokens.loadRecent()]);
  // Listen first: if the port is taken, no first account is created whose key would never be shown.
  const port = await server.listen(config.host, config.port);
  addresses.port = port;
  let firstStart: FirstStart | null;
  let metricsPort: MetricsPort | null = null;
  try {
    // With several workers, the primary serves them.
    if (cluster.isPrimary) metricsPort = await serveMetrics(config, log, scrape);
    firstStart = await makeFirstAccount(store, {
      apiKey: config.apiKey,
      keyVariable: variableOf("apiKey"),
      base: addresses.local,
      at: clock(),
      demo: makesDemo ? demo : null,
    });
  } catch (error) {
    // A listening server would keep the process alive without a database.
    metricsPort?.close();
    await server.close(0);
    throw error;
  }
  if (firstStart?.isShortKey === true) log.warn(`the first API key ${asTyped(SHORT_KEY_WARNING)}`);
  const maintenance = startMaintenance({ authenticator, users, log });
  const stopUpkeep = startUpkeep(parts, addresses.local);
  background.start();
  const stopWatching = isMonitored(config) ? metrics.process.watchEventLoop() : () => {};
  const stopReloading =
    certificate === null ? () => {} : startCertificateReload({ certificate, server, clock, log });
  const endpoint = `${addresses.local}${contract.path}`;
  log.info("serving", { endpoint, schema: store.schemaVersion });
  return {
    endpoint,
    port,
    metricsPort: metricsPort?.port ?? null,
    store,
    firstStart,
    consoleAddress: `${addresses.local}${CONSOLE_PATH}`,
    demo: demo === null ? null : { outbox: config.smtp.replace(/^file:/, ""), user: demo.user },
    close: async () => {
      stopReloading();
      stopWatching();
      metricsPort?.close();
      closing.abort();
      // Messages that are being sent end while the last calls are answered.
      await Promise.all([server.close(DRAIN_MS), background.stopSending()]);
      // Reading from a closed store would open it again.
      collector.stop();
      wsdlWatch.stop();
      await background.stopJobs();
      await maintenance.stop();
      await stopUpkeep();
      await store.close();
      log.info("stopped");
    },
  };
}
