/** Campaigns: what became of messages, relay failures, how far campaigns are, and opt-outs by link. */
import { Counter, Gauge } from "./families.ts";
import type { Registry } from "./registry.ts";

/** Results of attempts that the ledger has stored. */
export const MESSAGE_RESULTS = ["sent", "deferred", "failed", "skipped", "unknown"] as const;
export type MessageResult = (typeof MESSAGE_RESULTS)[number];
/** What people do with the unsubscribe links of messages. */
export const LINK_ACTIONS = ["unsubscribe", "leave_list", "undo"] as const;
export type LinkAction = (typeof LINK_ACTIONS)[number];
/** The states in which something is left to do. */
export const CAMPAIGN_STATES = ["scheduled", "selecting", "sending", "paused", "held"] as const;
export type CampaignState = (typeof CAMPAIGN_STATES)[number];

/** Values that are read at collection. */
export interface SendingSnapshot {
  readonly connections: number;
  /** null: the database does not answer. */
  readonly campaigns: {
    readonly states: Readonly<Record<CampaignState, number>>;
    /** Campaigns whose relay is away. */
    readonly waiting: number;
    readonly queued: number;
  } | null;
}

export class SendingMetrics {
  readonly #messages: Counter;
  readonly #relayFailures: Counter;
  readonly #pauses: Counter;
  readonly #threadFailures: Counter;
  readonly #linkActions: Counter;
  readonly #connections: Gauge;
  readonly #campaigns: Gauge;
  readonly #waiting: Gauge;
  readonly #queued: Gauge;

  constructor(registry: Registry) {
    this.#messages = registry.add(
      new Counter(
        { name: "mailroll_messages", help: "Recipients of campaigns by the result of the attempt." },
        MESSAGE_RESULTS.map((result) => ({ result })),
      ),
    );
    this.#relayFailures = registry.add(
      new Counter({
        name: "mailroll_relay_failures",
        help: "How often a campaign had to wait because its relay could not be reached or refused everything.",
      }),
    );
    this.#pauses = registry.add(
      new Counter({
        name: "mailroll_campaigns_paused",
        help: "How often the service itself paused a campaign: too many hard bounces or refusals, or something is missing.",
      }),
    );
    this.#threadFailures = registry.add(
      new Counter({
        name: "mailroll_delivery_thread_failures",
        help: "How often the thread that sends messages ended unexpectedly.",
      }),
    );
    this.#linkActions = registry.add(
      new Counter(
        {
          name: "mailroll_link_opt_outs",
          help: "Opt-outs by unsubscribe link that were stored, by action; a repeated request counts again.",
        },
        LINK_ACTIONS.map((action) => ({ action })),
      ),
    );
    this.#connections = registry.add(
      new Gauge({
        name: "mailroll_smtp_connections",
        help: "Connections to relays that are in use, or reserved for a message.",
      }),
    );
    // All processes see the same database.
    this.#campaigns = registry.add(
      new Gauge(
        { name: "mailroll_campaigns", help: "Campaigns with something left to do, by state." },
        CAMPAIGN_STATES.map((state) => ({ state })),
        "max",
      ),
    );
    this.#waiting = registry.add(
      new Gauge(
        {
          name: "mailroll_campaigns_waiting",
          help: "Campaigns that wait for their relay. Waiting for a limit of their sender does not count.",
        },
        [{}],
        "max",
      ),
    );
    this.#queued = registry.add(
      new Gauge(
        {
          name: "mailroll_recipients_queued",
          help: "Recipients of campaigns in progress to whom nothing was handed over yet.",
        },
        [{}],
        "max",
      ),
    );
  }

  ended(result: MessageResult, count = 1): void {
    this.#messages.add(count, MESSAGE_RESULTS.indexOf(result));
  }
  relayFailed(): void {
    this.#relayFailures.add();
  }
  paused(): void {
    this.#pauses.add();
  }
  threadFailed(): void {
    this.#threadFailures.add();
  }
  leftByLink(action: LinkAction): void {
    this.#linkActions.add(1, LINK_ACTIONS.indexOf(action));
  }
  update({ connections, campaigns }: SendingSnapshot): void {
    this.#connections.set(connections);
    for (const [series, state] of CAMPAIGN_STATES.entries())
      this.#campaigns.set(campaigns?.states[state] ?? null, series);
    this.#waiting.set(campaigns?.waiting ?? null);
    this.#queued.set(campaigns?.queued ?? null);
  }
}
