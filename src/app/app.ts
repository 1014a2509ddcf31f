/**
 * The composition root: with the modules of this folder the only one that knows all others. It opens the
 * database and, because both take as long, loads the rest of the service meanwhile.
 */
import { type Limits, limitsFor } from "#admission/limits.ts";
import type { Clocks } from "#domain/clocks.ts";
import { StoreRefused } from "#domain/ports/errors.ts";
import type { Store, StoreWatch } from "#domain/ports/store.ts";
import type { CopyOptions } from "#store/archive/copy.ts";
import { type BeforeMigration, openStore } from "./database.ts";
import type { Log } from "./log/log.ts";
import { FailedWrites } from "./log/request-log.ts";
import { createMetrics } from "./monitoring.ts";
import type { Running } from "./service.ts";
import { type Config, withoutSending } from "./settings/config.ts";
import { certificateOf } from "./tls.ts";

const systemClocks: Clocks = { wall: Date.now, monotonic: () => performance.now() };

export interface ServeOptions {
  readonly clocks?: Clocks | undefined;
  readonly limits?: Limits | undefined;
  /** Whether a SQLite file is copied before its schema changes. */
  readonly copiesFirst?: boolean;
  /** Fills the database, which must be empty, with a demo. */
  readonly makesDemo?: boolean;
}

export async function serve(
  config: Config,
  log: Log,
  {
    clocks = systemClocks,
    limits = limitsFor(config.bodyLimit),
    copiesFirst = true,
    makesDemo = false,
  }: ServeOptions = {},
): Promise<Running> {
  const certificate = await certificateOf(config);
  const metrics = createMetrics();
  const failedWrites = new FailedWrites(log, clocks.monotonic);
  const watch: StoreWatch = {
    committed: (writes, ms) => metrics.storage.committed(writes, ms),
    failed: (error) => failedWrites.failed(error),
    read: (rows) => metrics.storage.read(rows),
  };
  let notice: Promise<() => Promise<void>> | null = null;
  const migration: BeforeMigration = {
    onBegin: (versions) => {
      log.info("database migration started", { ...versions });
      notice = import("./migration-notice.ts").then(({ startMigrationNotice }) =>
        startMigrationNotice(config, certificate, log),
      );
    },
    copy: copiesFirst ? { onProgress: progressLog(log), signal: new AbortController().signal } : null,
  };
  const open = async (): Promise<Store> => {
    try {
      const onWaiting = (reason: string): void => log.warn("waiting for the database", { reason });
      return await openStore(config, watch, { onWaiting }, migration);
    } finally {
      await (await notice)?.();
    }
  };
  const [store, { serveStore }] = await Promise.all([open(), import("./service.ts")]);
  try {
    const program = await store.health.program();
    if (program?.isFilling === true) refuseUnfinished(makesDemo);
    else if (makesDemo) await refuseDemo(store);
    const isDemo = makesDemo || program?.isDemo === true;
    const settings = withoutSending(config, isDemo);
    const parts = {
      config: settings,
      log,
      store,
      failedWrites,
      metrics,
      clocks,
      limits,
      certificate,
      isDemo,
    };
    return await serveStore(parts, makesDemo);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function refuseDemo({ accounts }: Store): Promise<void> {
  if (await accounts.exist())
    throw new StoreRefused(
      "a demo needs an empty database, and this one has an account; choose another one with --database, or leave out --demo",
    );
}

/** Without `--demo`, it could be another process that fills it right now. */
function refuseUnfinished(makesDemo: boolean): void {
  if (!makesDemo)
    throw new StoreRefused(
      "the filling of this demo was interrupted, or is still in progress; start it with --demo to fill it again, or choose another database with --database",
    );
}

/** A line for every 10 % copied, so that people who wait see that it goes on. */
function progressLog(log: Log): CopyOptions["onProgress"] {
  let said = -1;
  return ({ done, total }) => {
    const tenths = total === 0 ? 0 : Math.floor((10 * done) / total);
    if (tenths === said) return;
    said = tenths;
    log.info("copying the database before its migration", { percent: 10 * tenths });
  };
}
