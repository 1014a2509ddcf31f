/** Sends campaigns while the service runs; logs and counts what becomes of them. */
import { DeliveryRunner } from "#delivery/runner/runner.ts";
import type { Clock } from "#domain/clocks.ts";
import type { Ledger } from "#domain/ports/sending/ledger.ts";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Store } from "#domain/ports/store.ts";
import { mustWait } from "#domain/sending/mailing.ts";
import { leaseOwner } from "#jobs/owner.ts";
import { sleep } from "#jobs/sleep.ts";
import {
  CAMPAIGN_STATES,
  type CampaignState,
  type SendingMetrics,
  type SendingSnapshot,
} from "#metrics/sending.ts";
import type { Log } from "./log/log.ts";

export interface DeliveryParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: SendingMetrics;
  /** The relay of senders that have none of their own. */
  readonly relay: string;
  readonly isDemo?: boolean;
  readonly connections: number;
  /** Known only once the server listens. */
  readonly baseUrl: () => string;
  readonly wakeJobs: () => void;
}

const describe = ({ account, campaign }: OfMailing) => ({ account, campaign });

/** To be started when the service listens. */
export function createDelivery(parts: DeliveryParts): DeliveryRunner {
  const { store, log, metrics, relay, isDemo = false, connections, baseUrl, wakeJobs } = parts;
  const { clock, sync: syncClock } = databaseClock(store, parts.clock, (ms) => {
    if (ms === 0) log.info("clock agrees with the database server again");
    else log.error("clock differs from that of the database server", { behind_ms: ms });
  });
  /** An outage is logged once, not at every attempt. */
  let isSearchFailing = false;
  let isStoreFailing = false;
  return new DeliveryRunner({
    store,
    settings: { baseUrl, relay, isDemo },
    connections,
    owner: leaseOwner(),
    clock,
    syncClock,
    sleep,
    wakeJobs,
    events: {
      onBegan: (mailing) => log.info("campaign started", describe(mailing)),
      onResults: (results) => {
        isStoreFailing = false;
        for (const { state } of results) if (state !== "queued") metrics.ended(state);
      },
      onUnreported: (mailing, count) => {
        metrics.ended("unknown", count);
        log.warn("recipients unknown: their process stopped", { ...describe(mailing), recipients: count });
      },
      onSkipped: (count) => metrics.ended("skipped", count),
      onRelayFailed: (mailing, reason, until) => {
        metrics.relayFailed();
        const retry_in_s = Math.max(Math.round((until - clock()) / 1000), 0);
        log.warn("relay failed", { ...describe(mailing), reason, retry_in_s });
      },
      onPaused: (mailing, reason) => {
        metrics.paused();
        log.warn("campaign paused", { ...describe(mailing), reason });
      },
      onLost: (mailing) => log.warn("recipients taken over by another process", describe(mailing)),
      onStoreFailed: (mailing, error) => {
        if (!isStoreFailing) log.warn("write to the ledger failed", describe(mailing), error);
        isStoreFailing = true;
      },
      onSearched: () => {
        isSearchFailing = false;
      },
      onSearchFailed: (error) => {
        if (!isSearchFailing) log.warn("search for campaigns failed", {}, error);
        isSearchFailing = true;
      },
      onHeld: (mailing, reason) => log.warn("campaign held", { ...describe(mailing), reason }),
      onThreadDied: (error, unknown) => {
        metrics.threadFailed();
        log.error("delivery thread ended", { unknown_recipients: unknown }, error);
      },
    },
  });
}

/** Leases last longer by far. */
const TOLERATED_MS = 5000;

/**
 * A clock that all nodes share: that of the database's server. By a wrong clock, a node would take over the
 * recipients of others while they are being sent to, or lose its own. `wall` is corrected by how much
 * `machine`, the clock of this machine, differs from it.
 */
export function databaseClock(
  { health }: Pick<Store, "health">,
  wall: Clock,
  onChange: (differenceMs: number) => void,
  machine: Clock = Date.now,
): { readonly clock: Clock; readonly sync: () => Promise<void> } {
  let difference = 0;
  let isShared = true;
  return {
    clock: () => wall() + difference,
    sync: async () => {
      if (!isShared) return;
      const asked = machine();
      const now = await health.clock();
      isShared = now !== null;
      if (now === null) return;
      const answered = machine();
      // It says nothing if the answer took long, or the process was suspended.
      if (answered - asked > TOLERATED_MS / 2) return;
      const found = Math.round(now - (asked + answered) / 2);
      const before = difference;
      difference = Math.abs(found) > TOLERATED_MS ? found : 0;
      if ((difference === 0) !== (before === 0)) onChange(difference);
    },
  };
}

const isLeft = (state: string): state is CampaignState => CAMPAIGN_STATES.some((one) => one === state);

/** For metrics. */
export async function countCampaigns(
  ledger: Ledger,
  now: number,
): Promise<NonNullable<SendingSnapshot["campaigns"]>> {
  const states = { scheduled: 0, selecting: 0, sending: 0, paused: 0, held: 0 };
  let waiting = 0;
  let queued = 0;
  for (const figure of await ledger.figures()) {
    if (!isLeft(figure.state)) continue;
    states[figure.state] += 1;
    if (figure.state !== "sending") continue;
    queued += figure.queued;
    if (mustWait(figure.waitsUntil, now)) waiting += 1;
  }
  return { states, waiting, queued };
}
