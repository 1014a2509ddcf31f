/**
 * Periodic maintenance of this process's own memory. A failure is logged, and the task runs again at its next
 * interval. What concerns the database is a job (`jobs.ts`): one process does it for all.
 */
import type { Authenticator } from "#auth/authenticator.ts";
import type { Log } from "./log/log.ts";
import type { UserAuthentication } from "./user-authentication.ts";

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
