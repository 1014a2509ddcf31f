/**
 * Sends campaigns while the service runs. Every `serve` process has such a runner: each looks for mailings
 * that are due and sends batches of them, and leases decide who sends what. It starts the delivery thread
 * with the first mailing. Which mailings run is decided in scheduler.ts; what happens to one is in
 * mailing-run.ts.
 */
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { Clock } from "#domain/clocks.ts";
import type { DueMailing, OfMailing } from "#domain/ports/sending/mailings.ts";
import { holdReasons } from "#domain/sending/mailing.ts";
import type { Sleep } from "#jobs/sleep.ts";
import { DeliveryThread } from "../threads/delivery-thread.ts";
import type { Report, RunId } from "../threads/protocol.ts";
import type { Making } from "../threads/watchdog.ts";
import { EXTEND_MS, LEASE_MS } from "./batch.ts";
import type { DeliveryEvents, DeliveryStore } from "./ledger-writer.ts";
import { UnstoredSlots } from "./ledger-writer.ts";
import { MailingRun, type RunEnding, TakeOvers } from "./mailing-run.ts";
import { type Paced, PaceKeeper } from "./pace-keeper.ts";
import { type DeliverySettings, paceKeysOf, prepareMailing } from "./prepare.ts";
import { planRuns } from "./scheduler.ts";

const POLL_MS = 1000;
/** A mailing with nothing to take is looked at again after this time: a recipient may be tried again then. */
const IDLE_MS = 5000;
/** A mailing that is limited for hours is looked at now and then: the limit may be changed. */
const LIMITED_MS = 60_000;
/** A thread with nothing to do is ended, for its memory. */
const IDLE_THREAD_MS = 60_000;
/** How long messages that are being sent may take when the service stops. */
const STOP_MS = 8000;
/** How long what follows may take: closing connections, and storing. */
const CLOSE_MS = 2000;

export interface DeliveryOptions {
  readonly store: DeliveryStore;
  readonly settings: DeliverySettings;
  readonly owner: string;
  readonly clock: Clock;
  /** Corrects the clock before each look for mailings. If it fails, nothing is taken over. */
  readonly syncClock?: () => Promise<void>;
  readonly sleep: Sleep;
  readonly events: DeliveryEvents;
  /** A job was created. */
  readonly wakeJobs: () => void;
  /** For each set of relays. */
  readonly connections: number;
  /** How long it waits before it looks for mailings again. */
  readonly pollMs?: number;
  /** Another module for the delivery thread. */
  readonly threadEntry?: URL;
  /** How much processor time the delivery thread may use for one message. */
  readonly messageCpuMs?: number;
}

interface Run {
  readonly account: AccountId;
  readonly run: MailingRun;
  readonly thread: DeliveryThread;
  readonly began: number;
  readonly ended: Promise<void>;
  /** null: it is not prepared yet. */
  paced: Paced | null;
}
interface Thread {
  readonly thread: DeliveryThread;
  readonly slots: UnstoredSlots;
}

export class DeliveryRunner {
  readonly #options: DeliveryOptions;
  readonly #runs = new Map<CampaignId, Run>();
  /** Until when mailings are paused: they are not searched for work. */
  readonly #pausedUntil = new Map<CampaignId, number>();
  /** When the last run of each mailing ended. */
  readonly #served = new Map<CampaignId, number>();
  readonly #accountsServed = new Map<AccountId, number>();
  readonly #stopping = new AbortController();
  readonly #runsById = new Map<RunId, MailingRun>();
  readonly #takeOvers = new TakeOvers();
  readonly #paces: PaceKeeper;
  #lastRunId = 0;
  #thread: Thread | null = null;
  #connections = 0;
  #idleSince = 0;
  /** The write that holds a campaign whose message has ended a thread. */
  #holding: Promise<void> | null = null;
  #wake: () => void = () => {};
  #loop: Promise<void> | null = null;
  #extending: NodeJS.Timeout | null = null;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    const { store, clock, events } = options;
    this.#paces = new PaceKeeper({
      ...{ store, clock },
      post: (command) => this.#thread?.thread.post(command),
      onFailed: (error) => events.onSearchFailed(error),
    });
  }

  /** Open connections to relays. */
  get connections(): number {
    return this.#connections;
  }

  /** Looks for mailings now, because something was changed. */
  wake(): void {
    this.#pausedUntil.clear();
    this.#wake();
  }

  start(): void {
    this.#loop ??= this.#run();
    this.#extending ??= setInterval(() => void this.#extend(), EXTEND_MS);
  }

  /** Starts nothing more, waits for what is being sent, stores the results and gives the batches back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#loop;
    const runs = [...this.#runs.values()];
    for (const { run } of runs) run.halt();
    const ended = Promise.all(runs.map((one) => one.ended));
    await Promise.race([ended, this.#within(STOP_MS, ended)]);
    if (this.#runs.size > 0) {
      this.#thread?.thread.post({ do: "abort" });
      await Promise.race([ended, this.#within(CLOSE_MS, ended)]);
      for (const { run } of this.#runs.values()) run.abandon();
    }
    if (this.#extending !== null) clearInterval(this.#extending);
    await this.#thread?.thread.end(CLOSE_MS);
  }

  #within(ms: number, ended: Promise<unknown>): Promise<void> {
    const early = new AbortController();
    void ended.then(() => early.abort());
    return this.#options.sleep(ms, early.signal);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { pollMs = POLL_MS } = this.#options;
    while (!signal.aborted) {
      const pause = new AbortController();
      this.#wake = () => pause.abort();
      await this.#look();
      await this.#options.sleep(pollMs, AbortSignal.any([pause.signal, signal]));
    }
  }

  async #look(): Promise<void> {
    const { store, clock, syncClock, events } = this.#options;
    await this.#holding;
    try {
      await syncClock?.();
      const now = clock();
      const due = await store.ledger.due({ now });
      for (const mailing of due) {
        if (mailing.state !== "scheduled" || this.#stopping.signal.aborted) continue;
        await this.#alone(mailing, () => this.#start(mailing, now));
      }
      for (const mailing of await store.ledger.unattended({ now }))
        await this.#alone(mailing, () => this.#release(mailing, now));
      if (this.#stopping.signal.aborted) return;
      this.#send(due.filter(({ state }) => state === "sending"));
      await this.#paces.look(
        [...this.#runs.values()].map(({ paced }) => paced).filter((one) => one !== null),
      );
      this.#endIdleThread();
      events.onSearched();
    } catch (error) {
      events.onSearchFailed(error);
    }
  }

  /** What fails for one mailing is repeated at the next look, and stops no other one. */
  async #alone(mailing: OfMailing, write: () => Promise<void>): Promise<void> {
    await write().catch((error: unknown) => this.#options.events.onStoreFailed(mailing, error));
  }
  async #start({ account, campaign }: OfMailing, now: number): Promise<void> {
    const { store, events, wakeJobs } = this.#options;
    const mailing = { account, campaign };
    if ((await store.ledger.begin({ ...mailing, now })) === "held")
      events.onHeld(mailing, (await store.mailings.byId(mailing))?.mailing.reason ?? "");
    else events.onBegan(mailing);
    wakeJobs();
  }
  /** What a process was sending that died after its campaign was paused or cancelled. */
  async #release({ account, campaign }: OfMailing, now: number): Promise<void> {
    const { store, events } = this.#options;
    const unknown = await store.ledger.release({ account, campaign, now });
    if (unknown > 0) events.onUnreported({ account, campaign }, unknown);
  }

  #send(due: readonly DueMailing[]): void {
    const now = performance.now();
    const isDue = new Set(due.map(({ campaign }) => campaign));
    // Paused, cancelled, deleted, or waiting for the relay.
    for (const [campaign, { run }] of this.#runs) if (!isDue.has(campaign)) run.halt();
    for (const known of [this.#pausedUntil, this.#served])
      for (const campaign of known.keys()) if (!isDue.has(campaign)) known.delete(campaign);
    const accounts = new Set(due.map(({ account }) => account));
    for (const account of this.#accountsServed.keys())
      if (!accounts.has(account)) this.#accountsServed.delete(account);
    if (this.#isThreadBeingReplaced()) return;
    const plan = planRuns({
      waiting: due
        .filter(({ campaign }) => !this.#runs.has(campaign) && (this.#pausedUntil.get(campaign) ?? 0) <= now)
        .map(({ account, campaign }) => ({ account, campaign, servedAt: this.#served.get(campaign) ?? 0 })),
      running: [...this.#runs].map(([campaign, { account, run, began }]) => ({
        ...{ account, campaign, began },
        isEnding: run.isEnding,
        waitsForLimit: run.limitEnds !== null,
      })),
      accountServedAt: (account) => this.#accountsServed.get(account) ?? 0,
      now,
    });
    for (const { campaign } of plan.preempt) this.#runs.get(campaign)?.run.preempt();
    for (const mailing of plan.begin) this.#begin(mailing);
  }

  /**
   * Until the last result of a thread that has died is stored, its slots are in use: with the slots of the
   * next thread, more recipients would be `sending` than there are connections.
   */
  #isThreadBeingReplaced(): boolean {
    return [...this.#runs.values()].some(({ thread }) => thread !== this.#thread?.thread);
  }

  #begin(mailing: OfMailing): void {
    const { store, settings, owner, clock, events } = this.#options;
    const { account, campaign } = mailing;
    this.#lastRunId += 1;
    const runId = this.#lastRunId;
    const { thread, slots } = this.#liveThread();
    const run = new MailingRun({
      runId,
      mailing: { account, campaign },
      store,
      thread,
      slots,
      owner,
      clock,
      events,
      takeOvers: this.#takeOvers,
      prepare: async (of) => {
        const prepared = await prepareMailing(store, settings, of, clock());
        const running = this.#runs.get(campaign);
        if (running?.run === run && typeof prepared !== "string")
          running.paced = {
            relays: paceKeysOf(prepared.sender.relays),
            sender: { account, id: prepared.sender.id },
          };
        return prepared;
      },
      onReleased: () => {
        for (const other of this.#runs.values()) if (other.run !== run) other.run.kick();
      },
    });
    const failed = (error: unknown): RunEnding => {
      events.onStoreFailed(mailing, error);
      return "halted";
    };
    const ended = run
      .run()
      .catch(failed)
      .then((ending) => {
        this.#runsById.delete(runId);
        this.#ended(campaign, ending);
      });
    this.#runsById.set(runId, run);
    const began = performance.now();
    this.#accountsServed.set(account, began);
    this.#runs.set(campaign, { account, run, thread, began, ended, paced: null });
  }

  #ended(campaign: CampaignId, ending: RunEnding): void {
    const now = performance.now();
    this.#idleSince = now;
    this.#runs.delete(campaign);
    if (this.#runs.size === 0) this.#connections = 0;
    this.#served.set(campaign, now);
    if (ending === "idle") this.#pausedUntil.set(campaign, now + IDLE_MS);
    else if (typeof ending === "object") {
      const ms = ending.limitedUntil - this.#options.clock();
      this.#pausedUntil.set(campaign, now + Math.min(ms, LIMITED_MS));
    }
    if (ending === "preempted") this.#wake();
  }

  #endIdleThread(): void {
    if (this.#runs.size > 0 || performance.now() - this.#idleSince < IDLE_THREAD_MS) return;
    void this.#thread?.thread.end(CLOSE_MS);
    this.#thread = null;
  }

  #liveThread(): Thread {
    if (this.#thread !== null) return this.#thread;
    const { connections, threadEntry: entry, messageCpuMs } = this.#options;
    const slots = new UnstoredSlots();
    const thread = new DeliveryThread(
      { connections, entry, messageCpuMs },
      { onReport: (report) => this.#onReport(report), onDied: (...why) => this.#onDied(...why) },
    );
    this.#thread = { thread, slots };
    return this.#thread;
  }

  #onReport({ results, ready, problems, relayFailures, paces, starved, connections }: Report): void {
    this.#connections = connections;
    for (const result of results) this.#runsById.get(result.runId)?.onResult(result);
    for (const one of ready) this.#runsById.get(one.runId)?.onReady(one);
    for (const { runId, reason } of problems) this.#runsById.get(runId)?.onProblem(reason);
    for (const { runId, reason, isQuota } of relayFailures)
      this.#runsById.get(runId)?.onRelayFailed(reason, isQuota);
    for (const report of paces) this.#paces.ask(report);
    for (const runId of starved) this.#runsById.get(runId)?.onStarved();
  }

  #onDied(error: Error, making: Making | null): void {
    this.#thread = null;
    this.#connections = 0;
    let unknown = 0;
    for (const { run } of this.#runs.values()) unknown += run.onThreadDied();
    this.#options.events.onThreadDied(error, unknown);
    if (making !== null) this.#holding = this.#hold(making, error);
  }

  /** Its next run would end the next thread; if this fails, it is held then. */
  #hold({ account, campaign, subscriber }: Making, { message }: Error): Promise<void> {
    const { store, clock, events } = this.#options;
    const reason = holdReasons.thread(subscriber, message);
    return this.#alone({ account, campaign }, async () => {
      if (await store.ledger.hold({ account, campaign, now: clock(), reason }))
        events.onHeld({ account, campaign }, reason);
    });
  }

  async #extend(): Promise<void> {
    const batches = [...this.#runs.values()].flatMap(({ run }) => run.batches);
    if (batches.length === 0) return;
    const { store, owner, clock, events } = this.#options;
    const now = clock();
    await store.ledger
      .extend({ owner, batches, now, until: now + LEASE_MS })
      .catch((error: unknown) => events.onSearchFailed(error));
  }
}
