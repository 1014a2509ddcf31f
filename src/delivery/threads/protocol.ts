/**
 * The messages between the runner and the delivery thread. Many are collected and posted as one, because each
 * posting costs both threads as much as a small mail. A message to a recipient never crosses: it is made and
 * handed over in the delivery thread.
 */
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { BatchId, DeliveryResult } from "#domain/ports/sending/ledger.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import type { CampaignContent } from "#domain/sending/mailing.ts";
import type { Sender, SenderSecrets } from "#domain/sending/sender.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { ClockReading } from "../clock-reading.ts";
import type { PaceAnswer, PaceReport, Pacer } from "../smtp/pacer.ts";

/** What the thread is started with. */
export interface ThreadData {
  /** For each set of relays. */
  readonly connections: number;
  /** Where it notes which message it is making, see `watchdog.ts`. */
  readonly mark: SharedArrayBuffer;
}

/**
 * One run of a campaign, which is sent for a while. If it is sent again later, that is another run: what the
 * thread still says about an earlier one is ignored.
 */
export type RunId = number;

/** What the thread needs to know of a campaign: sent once, before its recipients. */
export interface MailingToSend {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly name: string;
  readonly content: CampaignContent;
  /** With at least one relay. */
  readonly sender: Sender & SenderSecrets;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly linkSecret: Uint8Array;
  /** The names of the account's custom fields. */
  readonly fields: readonly string[];
  /** Keys of its relays that have refused messages because they came too fast. */
  readonly paced: readonly string[];
}

/**
 * `compose`: further recipients. `send`: they are marked as sending. `drop`: forget them. `delay`: not
 * within `ms` from now; if `domain` is null, no recipient of the campaign is. `halt`: forget all that are
 * not being sent. `pace`: from now on messages of these relays need permits. `permit`: permits for one of
 * them. `close`: forget the campaign; none of its messages is being sent. `abort`: end all messages now.
 * `end`: end the thread.
 */
export type Command =
  | { readonly do: "open"; readonly runId: RunId; readonly mailing: MailingToSend }
  | {
      readonly do: "compose";
      readonly runId: RunId;
      readonly batch: BatchId;
      readonly people: readonly MergeData[];
    }
  | {
      readonly do: "send";
      readonly runId: RunId;
      readonly subscribers: readonly SubscriberId[];
      /** When it was known that they may get the message. */
      readonly markedAt: ClockReading;
    }
  | { readonly do: "drop"; readonly runId: RunId; readonly subscribers: readonly SubscriberId[] }
  | {
      readonly do: "delay";
      readonly runId: RunId;
      readonly subscriber: SubscriberId;
      readonly domain: string | null;
      readonly ms: number;
    }
  | { readonly do: "pace"; readonly keys: readonly string[] }
  | { readonly do: "permit"; readonly answer: PaceAnswer }
  | { readonly do: "halt" | "close"; readonly runId: RunId }
  | { readonly do: "abort" | "end" };

/** A number that stands for one connection of the thread: at most one message is being sent on it. */
export type Slot = number;

/** The message is made, and the slot is reserved for it. */
export interface Ready {
  readonly runId: RunId;
  /** A recipient can be dropped with one batch, and be in another one before the thread knows it. */
  readonly batch: BatchId;
  readonly subscriber: SubscriberId;
  readonly slot: Slot;
}
export interface Reported {
  readonly runId: RunId;
  readonly result: DeliveryResult;
}
/** Something about a campaign as a whole. */
interface OfRun {
  readonly runId: RunId;
  readonly reason: string;
}
interface FailedRelay extends OfRun {
  /** The relay takes no more messages in this hour or day. */
  readonly isQuota: boolean;
}
/** What has happened in the thread since the last report. */
export interface Report {
  /** In the order in which it happened: a slot that is ready again has reported its result before. */
  readonly results: readonly Reported[];
  readonly ready: readonly Ready[];
  /** Campaigns of which no message can be made, or for which the thread has another problem. */
  readonly problems: readonly OfRun[];
  /**
   * Campaigns whose relays are all away, or refuse everything for now. Nothing more of them is made ready.
   */
  readonly relayFailures: readonly FailedRelay[];
  /** Relays and senders for which permits are wanted. */
  readonly paces: readonly PaceReport[];
  /** Campaigns of which the thread has no recipient left to whom it may send now. */
  readonly starved: readonly RunId[];
  /** Open connections. */
  readonly connections: number;
}

/**
 * Collects what happens in the delivery thread, and posts it in groups. The runner stores each group in one
 * transaction, whose cost hardly depends on its size: so half of the connections wait for each other, but
 * not for long.
 */
const LONGEST_WAIT_MS = 20;

interface ReportsOptions {
  readonly post: (report: Report) => void;
  /** For each set of relays. */
  readonly connections: number;
  /** How many are in use. */
  readonly used: () => number;
}

export class Reports {
  readonly #options: ReportsOptions;
  readonly #group: number;
  #results: Reported[] = [];
  #ready: Ready[] = [];
  #problems: OfRun[] = [];
  #relayFailures: FailedRelay[] = [];
  readonly #pacers = new Set<Pacer>();
  #starved: RunId[] = [];
  #timer: NodeJS.Timeout | null = null;
  #isDue = false;

  constructor(options: ReportsOptions) {
    this.#options = options;
    this.#group = Math.ceil(options.connections / 2);
  }

  result(result: Reported): void {
    this.#results.push(result);
    this.#collect();
  }
  ready(ready: Ready): void {
    this.#ready.push(ready);
    this.#collect();
  }
  problem(problem: OfRun): void {
    this.#problems.push(problem);
    this.#postSoon();
  }
  /** It asks for permits. */
  asks(pacer: Pacer): void {
    this.#pacers.add(pacer);
    this.#postSoon();
  }
  relayFailed(failure: FailedRelay): void {
    this.#relayFailures.push(failure);
    this.#postSoon();
  }
  starved(runId: RunId): void {
    this.#starved.push(runId);
    this.#postSoon();
  }

  #collect(): void {
    if (Math.max(this.#results.length, this.#ready.length) >= this.#group) this.#postSoon();
    else this.#timer ??= setTimeout(() => this.#postAll(), LONGEST_WAIT_MS);
  }
  /** With what else happens in this round of the event loop. */
  #postSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => this.#postAll());
  }
  #postAll(): void {
    this.#isDue = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#options.post({
      results: this.#results,
      ready: this.#ready,
      problems: this.#problems,
      relayFailures: this.#relayFailures,
      paces: [...this.#pacers].map((pacer) => pacer.takeReport()),
      starved: this.#starved,
      connections: this.#options.used(),
    });
    this.#results = [];
    this.#ready = [];
    this.#problems = [];
    this.#relayFailures = [];
    this.#pacers.clear();
    this.#starved = [];
  }
}
